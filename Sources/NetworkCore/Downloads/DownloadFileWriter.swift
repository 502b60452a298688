import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Writes the pieces of a buffer to a file, and moves the complete file to its destination.
///
/// `@unchecked Sendable` with mutable properties is safe, because only the drain of one buffer calls
/// `process`, with one piece after another.
final class DownloadFileWriter: @unchecked Sendable {
  private let mode: DownloadMode
  private let attempt: RequestAttempt
  private let offset: Int64?
  private let onOpen: @Sendable (PartialFile) -> Void
  private var resumable: ResumableFile?
  private var file: PartialFile?
  private var part = RangeResponse.whole
  /// The size of the complete file in bytes; `nil` if it is not known.
  private var total: Int64?
  /// The `Content-Range` of the response.
  private var range: String?
  /// The reason why an interrupted download could not be resumed.
  private var obstacle: ResumeObstacle?
  private var isOver = false

  init(
    _ mode: DownloadMode, _ attempt: RequestAttempt, _ resumable: ResumableFile?, from offset: Int64?,
    onOpen: @escaping @Sendable (PartialFile) -> Void
  ) {
    self.mode = mode
    self.attempt = attempt
    self.resumable = resumable
    self.offset = offset
    self.onOpen = onOpen
    file = resumable?.file
  }

  /// Processes a piece; calls `abort` to stop the transfer.
  func process(_ piece: BodyBuffer.Piece, abort: () -> Void) {
    guard !isOver else { return }
    do throws(DownloadError) {
      switch piece {
      case .response(let response): try begin(response)
      case .chunk(let chunk): try write(chunk)
      case .end(.success(let response)): try finish(response)
      case .end(.failure(let error)): end(.failure(error))
      }
    } catch {
      end(.failure(.underlying(error, nil)))
      abort()
    }
  }

  private func begin(_ response: Response) throws(DownloadError) {
    part = resumable == nil ? .whole : RangeResponse(response, from: offset, resumable?.metadata)
    switch part {
    case .remainder(let total):
      self.total = total
      range = response.headers["Content-Range"]
      try file?.truncate(to: offset ?? 0)
    case .alreadyComplete, .invalid:
      total = offset
    case .whole:
      let hasLength = response.headers.contentCoding == nil && attempt.request.httpMethod != "HEAD"
      total = hasLength ? response.headers.contentLength : nil
      if resumable == nil {
        let temporary = try PartialFile.temporary()
        onOpen(temporary)
        file = temporary
      } else {
        try restart(response)
      }
    }
  }

  /// Starts from the beginning.
  ///
  /// The head decides whether the file is kept if the download is interrupted.
  private func restart(_ response: Response) throws(DownloadError) {
    var metadata: ResumeMetadata?
    do throws(ResumeObstacle) {
      let new = try ResumeMetadata(response, url: attempt.request.url?.absoluteString ?? "")
      metadata = new
      if offset != nil, resumable?.metadata?.validator == new.validator { obstacle = .rangeIgnored }
    } catch {
      obstacle = error
    }
    try resumable?.restart(metadata)
  }

  private func write(_ chunk: Data) throws(DownloadError) {
    guard part != .alreadyComplete, let file else { return }
    if case .remainder(let total) = part, Int64(chunk.count) > total - file.count {
      // The part does not match its Content-Range, so the bytes that were already written are unreliable.
      resumable?.discard()
      throw .range(offset ?? 0, range)
    }
    try file.append(chunk)
    attempt.report(ProgressResponse(completed: file.count, total: total ?? 0, obstacle: obstacle))
  }

  private func finish(_ response: Response) throws(DownloadError) {
    guard let file else { return }
    let count = file.count
    guard total == nil || total == count else {
      let error = TransferError.truncatedBody(reason: "\(count) of \(total ?? 0) bytes")
      return end(.failure(.underlying(error, response)))
    }
    let place: FilePlacement
    switch mode {
    case .toDestination(let destination):
      guard let head = response.response ?? attempt.emptyHead(response.statusCode) else {
        throw .notAFileURL(attempt.request.url?.absoluteString ?? "")
      }
      let (url, options) = destination(file.url, head)
      place = FilePlacement(destination: url, options: options)
    case .resumable(let fixed):
      place = fixed
    }
    try file.move(to: place)
    let completed = part == .alreadyComplete ? response.asPartial : response
    end(
      .success(
        Response(
          copying: completed, data: Data(), metrics: response.metrics, fileURL: place.destination,
          fileSize: count)))
  }

  private func end(_ result: Result<Response, NetworkError>) {
    isOver = true
    file?.close()
    attempt.finish(result)
  }
}

extension RequestAttempt {
  /// Returns a head for a stub that has none.
  fileprivate func emptyHead(_ statusCode: Int) -> HTTPURLResponse? {
    request.url.flatMap {
      HTTPURLResponse(url: $0, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: nil)
    }
  }
}

extension Response {
  /// A copy with the status 206, because a 416 is a success if no part of the file is missing.
  fileprivate var asPartial: Response {
    Response(
      head: ResponseHead(statusCode: 206, url: url?.absoluteString ?? "", headers: headers), data: Data(),
      request: request,
      metrics: metrics)
  }
}
