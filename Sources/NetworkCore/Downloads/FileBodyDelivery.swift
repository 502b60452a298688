import Dispatch
import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes the body of a response to a file.
///
/// Each download writes on a separate queue, so that a slow disk makes its own sender wait but delays no
/// other transfer. A pool of threads opens files before the transfer and closes them after a cancel. For one
/// destination it does so in the order of the calls, so that a download can use the file of a previous
/// download that was just cancelled. A stub does all of this on the calling threads.
final class FileBodyDelivery: BodyDelivery {
  private struct State {
    /// The file of the current attempt.
    var file: PartialFile?
    /// The same file if it can be resumed, and the offset from which the rest was requested.
    var resumable: (file: ResumableFile, offset: Int64?)?
    var isCancelled = false
    var isStub = false
  }

  private static let callbacks = CallbackPool()
  private static let fileWork = BlockingWorkPool()

  private let mode: DownloadMode
  private let validation: ResponseValidation
  private let queue = DispatchQueue(label: "NetworkCore.download")
  private let state = Lock(State())

  init(_ mode: DownloadMode, validation: ResponseValidation) {
    self.mode = mode
    self.validation = validation
  }

  /// Always `true`, because the file appears at the destination only when it is complete.
  var isRepeatable: Bool { true }

  func prepare(
    _ request: URLRequest, isStub: Bool, then: @escaping @Sendable (Result<URLRequest, NetworkError>) -> Void
  ) {
    state.withLock { $0.isStub = isStub }
    guard case .resumable(let place) = mode else { return then(.success(request)) }
    if isStub { return then(openFile(place, for: request)) }
    Self.fileWork.enqueue(workKey) { [self] in
      let prepared = openFile(place, for: request)
      queue.async { then(prepared) }
    }
  }

  /// Downloads with the same key open and close their files one after another.
  private var workKey: UInt64 {
    switch mode {
    case .toDestination: UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue))
    case .resumable(let place):
      UInt64(UInt(bitPattern: place.destination.standardized.path.hashValue))
    }
  }

  private func openFile(_ place: FilePlacement, for request: URLRequest) -> Result<URLRequest, NetworkError> {
    guard !state.withLock({ $0.isCancelled }) else { return .failure(.cancelled) }
    do throws(DownloadError) {
      undoPreparation()
      if let range = request.value(forHTTPHeaderField: "Range") { throw .unexpectedRange(range) }
      try place.check()
      var file = try ResumableFile(for: place)
      let isResumed = try file.prepareToResume(request.url?.absoluteString ?? "")
      let offset = isResumed ? file.file.count : nil
      setCurrentFile(file.file)
      state.withLock { [file] in $0.resumable = (file, offset) }
      var request = request
      // Ranges would count the bytes of the encoded body.
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
      if let offset, let metadata = file.metadata {
        request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        request.setField("If-Range", to: metadata.validator)
      }
      return .success(request)
    } catch {
      return .failure(.underlying(error, nil))
    }
  }

  func receiver(of attempt: RequestAttempt) -> BodyReceiver {
    let buffer = BodyBuffer()
    // A stub responds before the call that starts the request returns.
    let queue = attempt.isStub ? nil : self.queue
    let resumable = state.withLock { $0.resumable }
    let writer = DownloadFileWriter(
      mode, attempt, resumable?.file, from: resumable?.offset, onOpen: setCurrentFile)
    // The buffer and its drain retain each other until the drain has taken the end.
    let receiver = BodyReceiver(
      of: attempt, buffer: buffer, decide: decide, onEnd: { buffer.close($0) },
      onRejection: { finish in
        // `finish` closes the file and ends the attempt. The buffer ends after that, so that the drain cannot
        // end the attempt with `.cancelled`.
        let end: @Sendable () -> Void = {
          finish()
          buffer.close(.failure(.cancelled))
        }
        if let queue { queue.async(execute: end) } else { end() }
      })
    BufferDrain(next: { buffer.next(orWhenReady: $0) }, on: queue) { [weak receiver] piece in
      writer.process(piece) { receiver?.cancelTransfer() }
      return !piece.isEnd
    }.begin()
    return receiver
  }

  /// Closes the file before the caller is notified, because the caller may start another download of the same
  /// file.
  func undoPreparation() { state.withLock { $0.resumable.take() }?.file.file.close() }

  /// Closes the file, so that it is removed, or free for the next download, when the end is delivered.
  ///
  /// A slow file system delays the end by at most a second.
  func releaseResources(then: @escaping @Sendable () -> Void) {
    let (isStub, hasFile) = state.withLock { state in
      state.isCancelled = true
      return (state.isStub, state.file != nil)
    }
    if case .toDestination = mode, !hasFile { return then() }
    if isStub {
      closeFile()
      return then()
    }
    Self.fileWork.enqueue(workKey, { self.closeFile() }, ifOverdue: {}, on: Self.callbacks, then: then)
  }

  private func closeFile() { state.withLock { $0.file }?.close() }

  /// Stores the file that the current attempt writes to.
  @Sendable private func setCurrentFile(_ file: PartialFile) {
    let (isCancelled, spent) = state.withLock { ($0.isCancelled, exchange(&$0.file, with: file)) }
    withExtendedLifetime(spent) {}
    if isCancelled { file.close() }
  }

  @Sendable private func decide(_ response: Response) -> HeadDecision {
    var statuses = [response.statusCode]
    let resumable = state.withLock { $0.resumable }
    // A caller that asks for a range gets the file with that range.
    if resumable != nil || response.request?.value(forHTTPHeaderField: "Range") == nil {
      switch RangeResponse(response, from: resumable?.offset, resumable?.file.metadata) {
      case .alreadyComplete: return .accept
      case .invalid(let error):
        return .reject { response, _ in
          resumable?.file.discard()
          return .failure(.underlying(error, response))
        }
      case .remainder, .whole:
        // The caller asked for the whole file.
        if response.statusCode == 206 { statuses.append(200) }
      }
    }
    let isAccepted = statuses.contains {
      validation.statusCodes == .none ? 200..<300 ~= $0 : validation.statusCodes.accepts($0)
    }
    // A 304 has no content, so there is nothing to write over the caller's file.
    guard isAccepted, response.statusCode != 304 else {
      return .reject { response, isCut in
        self.undoPreparation()
        // The result is the same as without a file, unless the body was cut off at the limit.
        guard !isCut || !self.accepts(response) else {
          let limit = BodyReceiver.rejectedBodyLimit
          return .failure(.underlying(TransferError.responseTooLarge(limit: limit), response))
        }
        return .success(response)
      }
    }
    guard let error = validation.contentTypeError(forHeadOf: response) else { return .accept }
    return .reject { response, _ in
      self.undoPreparation()
      return .failure(.underlying(error, response))
    }
  }

  private func accepts(_ response: Response) -> Bool { validation.statusCodes.accepts(response.statusCode) }
}
