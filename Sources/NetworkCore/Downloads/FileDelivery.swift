import Dispatch
import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes the body of an answer to a file.
///
/// A queue of the download's own writes, so that a slow disk holds up no other transfer: it has the sender wait.
final class FileDelivery: BodyDelivery {
  private struct State {
    /// The file of the current attempt.
    var file: PartialFile?
    /// The same where it can be gone on with, and from where on the rest has been asked for.
    var resumable: (file: ResumableFile, offset: Int64?)?
    var isAbandoned = false
  }

  private let download: Download
  private let validation: ResponseValidation
  private let state = Lock(State())

  init(_ download: Download, validation: ResponseValidation) {
    self.download = download
    self.validation = validation
  }

  /// The destination gets a file only once it is whole.
  var isRepeatable: Bool { true }

  func prepare(_ request: URLRequest) throws(NetworkError) -> URLRequest {
    guard case .resumable(let place) = download else { return request }
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
      return request
    } catch {
      throw .underlying(error, nil)
    }
  }

  func reception(of attempt: Attempt) -> BodyReception {
    let buffer = BodyBuffer()
    let resumable = state.withLock { $0.resumable }
    let writer = FileWriter(download, attempt, resumable?.file, from: resumable?.offset, adopt: adopt)
    // The buffer and its drain keep each other until the drain has taken an end.
    let reception = BodyReception(
      of: attempt, buffer: buffer, judge: judge, onEnd: { buffer.close($0) },
      onRefusal: { buffer.close(.failure(.cancelled)) })
    // A stub answers at once, before the request returns.
    let queue = attempt.isStub ? nil : DispatchQueue(label: "NetworkCore.download")
    QueueDrain(of: buffer, on: queue) { [weak reception] piece in
      writer.take(piece) { reception?.cutOff() }
    }.begin()
    return reception
  }

  /// Before the caller is told, who may begin another download of the same file.
  func withdraw() { release()?.close() }

  /// At once, so that a file is gone, or free for the next download, when the caller is told of the end.
  func abandon() {
    let (file, resumable) = state.withLock { state in
      state.isAbandoned = true
      return (state.file, state.resumable?.file)
    }
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
