import Dispatch
import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes the body of an answer to a file.
///
/// A queue of the download's own writes, so that a slow disk holds up no other transfer: it has the sender wait. Files are opened before
/// the transfer, and closed after a cancel, on threads for that; those of one destination in the order of the calls, so that a download
/// finds the file free that the one before, cancelled, has had. A stub does all of it on the threads that call.
final class FileDelivery: BodyDelivery {
  private struct State {
    /// The file of the current attempt.
    var file: PartialFile?
    /// The same where it can be gone on with, and from where on the rest has been asked for.
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

  /// The destination gets a file only once it is whole.
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

  /// What tells apart what has to be done one after the other.
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

  func reception(of attempt: Attempt) -> BodyReception {
    let buffer = BodyBuffer()
    // A stub answers at once, before the request returns.
    let queue = attempt.isStub ? nil : self.queue
    let resumable = state.withLock { $0.resumable }
    let writer = FileWriter(download, attempt, resumable?.file, from: resumable?.offset, adopt: adopt)
    // The buffer and its drain keep each other until the drain has taken an end.
    let reception = BodyReception(
      of: attempt, buffer: buffer, judge: judge, onEnd: { buffer.close($0) },
      onRefusal: { settle in
        // The file is closed before the attempt ends, and that end comes before the drain's.
        let end: @Sendable () -> Void = {
          settle()
          buffer.close(.failure(.cancelled))
        }
        if let queue { queue.async(execute: end) } else { end() }
      })
    QueueDrain(of: buffer, on: queue) { [weak reception] piece in
      writer.take(piece) { reception?.cutOff() }
    }.begin()
    return reception
  }

  /// Before the caller is told, who may begin another download of the same file.
  func withdraw() { release()?.close() }

  /// Has the file closed, so that it is gone, or free for the next download, when the end is delivered.
  ///
  /// A file system that takes more than a second delays the end no longer than that.
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

  /// Takes the file that the current attempt writes to.
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

  @Sendable private func judge(_ response: Response) -> Verdict {
    if let (file, offset) = state.withLock({ $0.resumable }) {
      switch DownloadPart(response, from: offset, file.point) {
      case .nothing: return .wanted
      case .wrong(let error):
        return .unwanted { response in
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
      return .unwanted { response in
        self.release()?.close()
        // The same as in memory, unless that would have to be cut short.
        guard response.data.count < BodyReception.unwantedBodyLimit || !self.accepts(response) else {
          let limit = BodyReception.unwantedBodyLimit
          return .failure(.underlying(TransferError.responseTooLarge(limit: limit), response))
        }
        return .success(response)
      }
    }
    guard let error = validation.contentTypeError(forHeadOf: response) else { return .wanted }
    return .unwanted { response in
      self.release()?.close()
      return .failure(.underlying(error, response))
    }
  }

  private func accepts(_ response: Response) -> Bool { validation.statusCodes.accepts(response.statusCode) }
}
