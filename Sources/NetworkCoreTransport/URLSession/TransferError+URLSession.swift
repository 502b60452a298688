internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension TransferError {
  /// Translates an error of `URLSession`; `isTruncated` is `true` if the body is shorter than announced.
  init(_ error: any Error, request: TransportRequest, isTruncated: Bool = false) {
    guard let error = URLError(bridging: error) else {
      self = .other(code: (error as NSError).code, reason: error.localizedDescription)
      return
    }
    let reason = error.localizedDescription
    if let known = TransferError(words: reason) {
      self = known
      return
    }
    switch error.code {
    case .cancelled: self = .cancelled
    case .timedOut: self = .timedOut(after: request.idleTimeout)
    case .cannotFindHost, .dnsLookupFailed:
      self = .cannotFindHost(Origin(url: request.url)?.host ?? request.url)
    case .cannotConnectToHost, .notConnectedToInternet:
      self = .cannotConnect(url: request.url, reason: reason)
    case .networkConnectionLost: self = .connectionLost(reason: reason)
    // The scheme has been validated; on Linux this is the code for a response that is not HTTP.
    case .unsupportedURL, .badServerResponse, .cannotParseResponse, .cannotDecodeContentData,
      .cannotDecodeRawData:
      self = .badServerResponse(reason: reason)
    case .secureConnectionFailed: self = .secureConnectionFailed(reason: reason)
    case .serverCertificateHasBadDate: self = .certificate(.expired, request, reason)
    case .serverCertificateNotYetValid: self = .certificate(.notYetValid, request, reason)
    case .serverCertificateUntrusted: self = .certificate(.other, request, reason)
    case .serverCertificateHasUnknownRoot: self = .certificate(.unknownIssuer, request, reason)
    case .clientCertificateRejected, .clientCertificateRequired:
      self = .certificate(.identityRejected, request, reason)
    case .httpTooManyRedirects: self = .tooManyRedirects(limit: RedirectPolicy.standardLimit)
    case .badURL: self = .unsupportedURL(request.url)
    case .unknown where isTruncated: self = .truncatedBody(reason: reason)
    default: self = .other(code: error.errorCode, reason: reason)
    }
  }

  private static func certificate(
    _ problem: CertificateProblem, _ request: TransportRequest, _ reason: String
  ) -> TransferError {
    .certificate(problem: problem, host: Origin(url: request.url)?.host ?? request.url, reason: reason)
  }

  /// Recognises libcurl's messages: on Linux, `URLSession` reports the same code for many failures, but with
  /// the message of its libcurl.
  private init?(words reason: String) {
    let kinds: [(words: String, error: TransferError)] = [
      ("transfer closed with", .truncatedBody(reason: reason)),
      ("chunked-encoding", .badServerResponse(reason: reason)),
      ("HTTP/0.9", .badServerResponse(reason: reason)),
      ("response headers", .badServerResponse(reason: reason)),
      ("Empty reply", .connectionLost(reason: reason)),
      ("Recv failure", .connectionLost(reason: reason)),
      ("Send failure", .connectionLost(reason: reason)),
    ]
    guard let kind = kinds.first(where: { reason.contains($0.words) }) else { return nil }
    self = kind.error
  }
}
