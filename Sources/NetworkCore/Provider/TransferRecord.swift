import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a transfer has brought so far.
struct TransferRecord {
  /// More than this is not set aside on the word of a `Content-Length` alone.
  private static let largestReservation = 16 << 20
  /// A smaller request body is sent in one go, so there is no progress in it to tell of.
  static let smallestUploadWithProgress = 64 << 10

  /// Whether the progress told of is that of the request body.
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

  /// The common body of one piece is kept as it came; further ones are appended.
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

  /// What there is to tell of bytes sent.
  mutating func progress(sent count: Int64, of total: Int64?) -> ProgressResponse? {
    isUpload ? progress(count, of: total ?? 0) : nil
  }

  /// What there is to tell of bytes received.
  ///
  /// Those of a status that says that the request has failed may be followed by those of another attempt.
  mutating func progressReceived(ofErrors: Bool) -> ProgressResponse? {
    let mayCount = !isUpload && (ofErrors || (head?.statusCode ?? 0) < 400)
    return !mayCount ? nil : progress(Int64(body.count), of: Int64(expectedLength))
  }

  /// What the transfer ended with.
  mutating func finish(_ error: TransferError?, request: URLRequest) -> Result<Response, NetworkError> {
    // An error that is kept must not keep as many bytes as the limit allows.
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

  /// A body that is sent a second time, after a redirect, must not take the progress back.
  private mutating func progress(_ count: Int64, of total: Int64) -> ProgressResponse? {
    guard count > lastCount else { return nil }
    lastCount = count
    return ProgressResponse(completed: count, total: total)
  }

  /// The body's length as announced; 0 where it is not known, or is that of the compressed body.
  private var expectedLength: Int {
    mutating get {
      if let expected { return expected }
      let headers = head?.headers ?? [:]
      let length = headers["Content-Encoding"] == nil ? headers["Content-Length"].flatMap { Int($0) } : nil
      let announced = max(0, length ?? 0)
      expected = announced
      return announced
    }
  }
}
