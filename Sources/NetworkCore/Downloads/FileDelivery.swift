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
final class FileDelivery: BodyDelivery {
  private struct State {
    /// The file of the current attempt.
    var file: PartialFile?
    /// The same file if it can be resumed, and the offset from which the rest was requested.
    var resumable: (file: ResumableFile, offset: Int64?)?
    var isAbandoned = false
    var isStub = false
  }

  private static let callbacks = CallbackPool()
  private static let files = KeyedWorkQueue(callbacks: callbacks)

  private let download: Download
  private let validation: ResponseValidation
  private let queue = DispatchQueue(label: "NetworkCore.download")
  private let state = Lock(State())

  init(_ download: Download, validation: ResponseValidation) {
    self.download = download
    self.validation = validation
  }

  /// Always `true`, because the file appears at the destination only when it is complete.
  var isRepeatable: Bool { true }

  func prepare(
    _ request: URLRequest, isStub: Bool, then: @escaping @Sendable (Result<URLRequest, NetworkError>) -> Void
  ) {
    state.withLock { $0.isStub = isStub }
    guard case .resumable(let place) = download else { return then(.success(request)) }
    if isStub { return then(opening(place, for: request)) }
    Self.files.enqueue(key) { [self] in
      let prepared = opening(place, for: request)
      queue.async { then(prepared) }
    }
  }

  /// Downloads with the same key open and close their files one after another.
  private var key: UInt64 {
    switch download {
    case .toDestination: UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue))
    case .resumable(let place):
      UInt64(UInt(bitPattern: place.destination.standardized.path.hashValue))
    }
  }

  private func opening(_ place: FilePlacement, for request: URLRequest) -> Result<URLRequest, NetworkError> {
    guard !state.withLock({ $0.isAbandoned }) else { return .failure(.cancelled) }
    do throws(DownloadError) {
      release()?.close()
      try place.check()
      var file = try ResumableFile(for: place)
      let isResumed = try file.resumes(request.url?.absoluteString ?? "")
      let offset = isResumed ? file.file.count : nil
      state.withLock { [file] in $0.resumable = (file, offset) }
      adopt(file.file)
      var request = request
      // Ranges would count the bytes of the encoded body.
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
      if let offset, let point = file.point {
        request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        request.setField("If-Range", to: point.validator)
      }
      return .success(request)
    } catch {
      return .failure(.underlying(error, nil))
    }
  }

  func receiver(of attempt: Attempt) -> BodyReceiver {
    let buffer = BodyBuffer()
    // A stub responds before the call that starts the request returns.
    let queue = attempt.isStub ? nil : self.queue
    let resumable = state.withLock { $0.resumable }
    let writer = FileWriter(download, attempt, resumable?.file, from: resumable?.offset, adopt: adopt)
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
    BufferDrain(of: buffer, on: queue) { [weak receiver] piece in
      writer.take(piece) { receiver?.cutOff() }
    }.begin()
    return receiver
  }

  /// Closes the file before the caller is notified, because the caller may start another download of the same
  /// file.
  func withdraw() { release()?.close() }

  /// Closes the file, so that it is removed, or free for the next download, when the end is delivered.
  ///
  /// A slow file system delays the end by at most a second.
  func abandon(then: @escaping @Sendable () -> Void) {
    let (isStub, hasFile) = state.withLock { state in
      state.isAbandoned = true
      return (state.isStub, state.file != nil)
    }
    if case .toDestination = download, !hasFile { return then() }
    if isStub {
      closeFile()
      return then()
    }
    Self.files.enqueue(key, { self.closeFile() }, late: {}, then: then)
  }

  private func closeFile() {
    let (file, resumable) = state.withLock { ($0.file, $0.resumable?.file) }
    if let resumable { resumable.close() } else { file?.close() }
  }

  /// Stores the file that the current attempt writes to.
  @Sendable private func adopt(_ file: PartialFile) {
    let (isAbandoned, spent) = state.withLock { state in
      defer { state.file = file }
      return (state.isAbandoned, state.file)
    }
    withExtendedLifetime(spent) {}
    if isAbandoned { file.close() }
  }

  private func release() -> ResumableFile? {
    state.withLock { state in
      defer { state.resumable = nil }
      return state.resumable?.file
    }
  }

  @Sendable private func decide(_ response: Response) -> HeadDecision {
    if let (file, offset) = state.withLock({ $0.resumable }) {
      switch RangeResponse(response, from: offset, file.point) {
      case .nothing: return .accept
      case .wrong(let error):
        return .reject { response in
          file.discard()
          return .failure(.underlying(error, response))
        }
      case .whole, .rest: break
      }
    }
    let isWelcome =
      validation.statusCodes == .none
      ? 200..<300 ~= response.statusCode : validation.statusCodes.accepts(response.statusCode)
    guard isWelcome else {
      return .reject { response in
        self.release()?.close()
        // The result is the same as without a file, unless the body was cut off at the limit.
        guard response.data.count < BodyReceiver.rejectedBodyLimit || !self.accepts(response) else {
          let limit = BodyReceiver.rejectedBodyLimit
          return .failure(.underlying(TransferError.responseTooLarge(limit: limit), response))
        }
        return .success(response)
      }
    }
    guard let error = validation.contentTypeError(forHeadOf: response) else { return .accept }
    return .reject { response in
      self.release()?.close()
      return .failure(.underlying(error, response))
    }
  }

  private func accepts(_ response: Response) -> Bool { validation.statusCodes.accepts(response.statusCode) }
}
