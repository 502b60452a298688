internal import Foundation
internal import Locking

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Turns what a `URLSession` reports into events of transfers.
///
/// Sendable: the transfers are behind a lock, and the queue is one that any thread may add to.
final class URLSessionTransferDelegate: NSObject, @unchecked Sendable {
  /// The serial queue on which the session reports and on which transfers start, are cancelled and end.
  let queue = OperationQueue()
  private let transfers = Lock<[Int: URLSessionTransfer]>([:])

  override init() {
    queue.maxConcurrentOperationCount = 1
    queue.name = "URLSessionTransport"
  }

  var allTransfers: [URLSessionTransfer] { transfers.withLock { Array($0.values) } }

  func add(_ transfer: URLSessionTransfer, for task: URLSessionTask) {
    transfer.task = task
    transfers.withLock { $0[task.taskIdentifier] = transfer }
  }

  /// Ends a transfer that is under way; called on `queue`.
  func cancel(_ transfer: URLSessionTransfer) {
    guard let task = transfer.task else { return }
    transfers.withLock { $0[task.taskIdentifier] = nil }
    if task.state == .running { task.cancel() }
    transfer.finish(.cancelled)
  }

  private func transfer(_ task: URLSessionTask) -> URLSessionTransfer? {
    transfers.withLock { $0[task.taskIdentifier] }
  }
}

extension URLSessionTransferDelegate: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    let total = totalBytesExpectedToSend > 0 ? totalBytesExpectedToSend : nil
    transfer(task)?.deliver(.sent(totalBytesSent, of: total))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let transfer = transfer(dataTask), let response = response as? HTTPURLResponse {
      transfer.deliver(.head(ResponseHead(response, url: transfer.request.url)))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if !data.isEmpty { transfer(dataTask)?.deliver(.body(data)) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    let location = newRequest.url?.absoluteString ?? ""
    completionHandler(
      transfer(task)?.follow(status: response.statusCode, to: location).flatMap { URLRequest($0) })
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // Requests for credentials are declined, so that the transfer ends with the 401. Everything else, such as the
    // check of a server's certificate, is done as ever.
    let method = challenge.protectionSpace.authenticationMethod
    let asksForCredential =
      method == NSURLAuthenticationMethodHTTPBasic || method == NSURLAuthenticationMethodHTTPDigest
    completionHandler(asksForCredential ? .rejectProtectionSpace : .performDefaultHandling, nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    transfer.finish(transfer.refusal ?? error.map { TransferError($0, request: transfer.request) })
  }
}

extension ResponseHead {
  fileprivate init(_ response: HTTPURLResponse, url: String) {
    let fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { HTTPHeader(name: $0, value: "\(value)") }
    }
    self.init(
      statusCode: response.statusCode, url: url,
      headers: HTTPHeaders(received: fields.sorted { $0.name < $1.name }))
  }
}

extension TransferError {
  fileprivate init(_ error: any Error, request: TransportRequest) {
    guard let error = error as? URLError else {
      self = .other(code: (error as NSError).code, reason: error.localizedDescription)
      return
    }
    let reason = error.localizedDescription
    switch error.code {
    case .cancelled: self = .cancelled
    case .timedOut: self = .timedOut(after: request.idleTimeout)
    case .cannotFindHost, .dnsLookupFailed:
      self = .cannotFindHost(Origin(url: request.url)?.host ?? request.url)
    case .cannotConnectToHost, .notConnectedToInternet:
      self = .cannotConnect(url: request.url, reason: reason)
    case .networkConnectionLost: self = .connectionLost(reason: reason)
    case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
      self = .badServerResponse(reason: reason)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      self = .secureConnectionFailed(reason: reason)
    case .httpTooManyRedirects: self = .tooManyRedirects(limit: CurlTransport.redirectLimit)
    case .badURL, .unsupportedURL: self = .unsupportedURL(request.url)
    default: self = .other(code: error.errorCode, reason: reason)
    }
  }
}
