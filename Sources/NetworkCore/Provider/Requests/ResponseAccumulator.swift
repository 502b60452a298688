import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Collects the response of a transfer.
struct ResponseAccumulator {
  /// The largest reservation of memory that relies on `Content-Length` alone.
  private static let largestReservation = 16 << 20
  /// A smaller request body is sent in one piece, so it has no progress.
  static let smallestUploadWithProgress = 64 << 10

  /// Whether progress counts the request body, not the response body.
  let isUpload: Bool
  private var head: ResponseHead?
  private var metrics: TransferMetrics?
  private var body = Data()
  private var chunks = 0
  private var expected: Int?
  private var lastCount: Int64 = -1

  init(isUpload: Bool) {
    self.isUpload = isUpload
  }

  mutating func receive(_ head: ResponseHead) {
    self.head = head
    expected = nil
    chunks = 0
    body = Data()
  }

  mutating func receive(_ metrics: TransferMetrics) {
    self.metrics = metrics
  }

  /// Appends a piece of the body.
  ///
  /// A body of one piece, the common case, is kept without a copy.
  mutating func receive(_ chunk: Data) {
    chunks += 1
    switch chunks {
    case 1:
      body = chunk
    case 2:
      let first = body
      body = Data(capacity: min(max(expectedLength, first.count + chunk.count), Self.largestReservation))
      body.append(first)
      body.append(chunk)
    default:
      body.append(chunk)
    }
  }

  /// The progress to report for bytes sent.
  mutating func progress(sent count: Int64, of total: Int64?) -> ProgressResponse? {
    isUpload ? progress(count, of: total ?? 0) : nil
  }

  /// The progress to report for bytes received; `nil` for an error status, unless `ofErrors`.
  ///
  /// The bytes of a response with an error status may be followed by those of another attempt.
  mutating func progressReceived(ofErrors: Bool) -> ProgressResponse? {
    let mayCount = !isUpload && (ofErrors || (head?.statusCode ?? 0) < 400)
    return !mayCount ? nil : progress(Int64(body.count), of: Int64(expectedLength))
  }

  /// The result of the transfer.
  mutating func finish(_ error: TransferError?, request: URLRequest) -> Result<Response, NetworkError> {
    // A stored error must not keep as many bytes as the limit allows.
    if case .responseTooLarge? = error { body = Data() }
    let response = head.map { Response(head: $0, data: body, request: request, metrics: metrics) }
    body = Data()
    if let error { return .failure(.underlying(error, error == .cancelled ? nil : response)) }
    guard let response else {
      let reason = "the transfer ended without a head"
      return .failure(.underlying(TransferError.badServerResponse(reason: reason), nil))
    }
    return .success(response)
  }

  /// Returns the progress; `nil` if it does not increase, as when a body is sent again after a redirect.
  private mutating func progress(_ count: Int64, of total: Int64) -> ProgressResponse? {
    guard count > lastCount else { return nil }
    lastCount = count
    return ProgressResponse(completed: count, total: total)
  }

  /// The length of the body from `Content-Length`; 0 if it is unknown, or if the body is compressed.
  private var expectedLength: Int {
    mutating get {
      if let expected { return expected }
      let headers = head?.headers ?? [:]
      let length = headers.contentCoding == nil ? headers.contentLength : nil
      let announced = max(0, Int(clamping: length ?? 0))
      expected = announced
      return announced
    }
  }
}
