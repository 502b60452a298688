internal import Dispatch
internal import Foundation
internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Translates the delegate calls of a `URLSession` into events of transfers.
///
/// Sendable because a lock guards the transfers, any thread may add to the queue, and only its operations access
/// `isInvalid`.
final class URLSessionTransferDelegate: NSObject, @unchecked Sendable {
  /// The serial queue on which the session calls the delegate, and on which transfers start, are cancelled
  /// and end.
  let queue = OperationQueue()
  /// Calls the handlers, so that a handler that blocks does not block the queue.
  let callbacks = CallbackPool()
  // The queue's own serial dispatch queue gets a thread even if all threads of the pool are blocked.
  // Otherwise, on Linux, a session keeps reading while its delegate waits for a thread, and holds the data in
  // memory.
  private let work = DispatchQueue(label: "URLSessionTransport")
  private let transfers = Lock<[Int: URLSessionTransfer]>([:])
  /// Whether the session accepts no more tasks; accessed on `queue`.
  var isInvalid = false

  override init() {
    super.init()
    queue.maxConcurrentOperationCount = 1
    queue.name = "URLSessionTransport"
    queue.underlyingQueue = work
  }

  var allTransfers: [URLSessionTransfer] { transfers.withLock { Array($0.values) } }

  /// Creates a task for a transfer's request; called on `queue`.
  func start(_ transfer: URLSessionTransfer, in session: URLSession) throws(TransferError) {
    var request = try URLRequest(transfer.request)
    // URLSession would offer its codings, and the range would be one of the encoded bytes.
    if transfer.request.headers["Range"] != nil, transfer.request.headers["Accept-Encoding"] == nil {
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
    var stream: BodyInputStream?
    switch transfer.request.content {
    case .none:
      // The server would wait for the body of a HEAD request, which is not sent.
      request.setValue(nil, forHTTPHeaderField: "Content-Length")
    case .data: break
    case .file, .stream:
      let opened = try BodyInputStream(transfer.request)
      request.setValue(nil, forHTTPHeaderField: "Content-Length")
      request.httpBodyStream = opened
      stream = opened
    }
    let task = session.dataTask(with: request)
    transfer.begin(task, sending: stream)
    transfers.withLock { $0[task.taskIdentifier] = transfer }
    task.resume()
  }

  /// Ends a transfer that is in progress; called on `queue`.
  func cancel(_ transfer: URLSessionTransfer) {
    guard let task = transfer.task else { return }
    transfers.withLock { $0[task.taskIdentifier] = nil }
    transfer.body?.close()
    if task.state == .running { task.cancel() }
    transfer.finish(.cancelled)
  }

  private func deliverHead(_ response: HTTPURLResponse, to transfer: URLSessionTransfer) {
    transfer.hasHead = true
    transfer.deliver(.head(ResponseHead(response, to: transfer.request)))
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
    guard let transfer = transfer(task), transfer.request.reportsProgress else { return }
    let total = totalBytesExpectedToSend > 0 ? totalBytesExpectedToSend : nil
    transfer.deliver(.sent(totalBytesSent, of: total))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let transfer = transfer(dataTask), let response = response as? HTTPURLResponse {
      deliverHead(response, to: transfer)
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard !data.isEmpty, let transfer = transfer(dataTask), transfer.failure == nil else { return }
    guard transfer.receive(data.count) else { return dataTask.cancel() }
    transfer.deliver(.body(data))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    // The redirect is the response, and `RedirectFollowingTransfer` follows it: on Linux, `URLSession` drops the
    // body of the new request.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // Requests for credentials are declined, so that the transfer ends with the 401. Everything else, such as
    // the check of a server's certificate, is handled by default.
    let method = challenge.protectionSpace.authenticationMethod
    let asksForCredential =
      method == NSURLAuthenticationMethodHTTPBasic || method == NSURLAuthenticationMethodHTTPDigest
    if asksForCredential { transfer(task)?.hasDeclinedCredentials = true }
    completionHandler(asksForCredential ? .rejectProtectionSpace : .performDefaultHandling, nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    let failure =
      transfer.failure ?? transfer.body?.failure
      ?? error.map { error in
        // On Linux, Foundation does not translate libcurl's code for a truncated body.
        TransferError(error, request: transfer.request, isTruncated: transfer.hasHead && task.isTruncated)
      }
    // On Linux, declining a request for credentials cancels the task after the whole 401 has arrived. The
    // head of a redirect is not reported, nor is its body.
    let isWhole = failure == nil || transfer.hasDeclinedCredentials && failure == .cancelled
    if isWhole, !transfer.hasHead, let response = task.response as? HTTPURLResponse {
      deliverHead(response, to: transfer)
    }
    transfer.finish(isWhole ? nil : failure)
  }
}

extension ResponseHead {
  fileprivate init(_ response: HTTPURLResponse, to request: TransportRequest) {
    let fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { HTTPHeader(name: $0, value: "\(value)") }
    }
    self.init(
      statusCode: response.statusCode, url: request.url,
      headers: HTTPHeaders(received: fields.sorted { $0.name < $1.name }))
    method = request.method
  }
}

extension URLSessionTask {
  /// Whether fewer bytes of the body have arrived than its head has announced.
  fileprivate var isTruncated: Bool {
    countOfBytesExpectedToReceive > 0 && countOfBytesReceived < countOfBytesExpectedToReceive
  }
}
