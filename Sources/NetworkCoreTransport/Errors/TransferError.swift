public import Foundation
internal import ReactiveNetworkLock

/// The reason why a transfer ended before the whole response had arrived.
public enum TransferError: Error, Sendable, Hashable {
  /// The transfer was cancelled.
  case cancelled
  /// A phase of the transfer took longer than the given time; for `.idle`, the default, no byte was sent or
  /// received for that long. For `isUnsent`, see `cannotConnect`.
  case timedOut(TransferTimeout = .idle, after: Duration, isUnsent: Bool = false)
  /// The host's name could not be resolved to an address. For `isUnsent`, see `cannotConnect`.
  case cannotFindHost(String, isUnsent: Bool = false)
  /// No connection to the host could be opened.
  ///
  /// With `isUnsent`, the transport proves that no server may have acted on the request in this transfer, not even
  /// one that redirected it, asked for a credential, or broke the connection: nothing of it has been sent, or only
  /// to a server that has stated that it has not processed it (GOAWAY). Behind operators that subscribe again, such
  /// as `retry` and `hedged`, the proof is about the last subscription.
  case cannotConnect(url: String, reason: String, isUnsent: Bool = false)
  /// The connection broke before the whole response had arrived.
  case connectionLost(reason: String)
  /// The body ended early: fewer bytes than announced, or a chunk cut off.
  case truncatedBody(reason: String)
  /// The TLS handshake failed for a reason other than a certificate.
  case secureConnectionFailed(reason: String)
  /// A certificate was not accepted: the server's by the client, or the client's by the server.
  case certificate(problem: CertificateProblem, host: String, reason: String)
  /// The response of the server is not valid HTTP.
  case badServerResponse(reason: String)
  /// The request was redirected more often than allowed.
  case tooManyRedirects(limit: Int)
  /// A redirect led to a URL that must not be requested, for example from `https` to `http`.
  case redirectRefused(url: String, reason: String)
  /// The URL cannot be requested: it is malformed, or the transport does not support its scheme.
  case unsupportedURL(String)
  /// No response to such a request has been recorded.
  case notRecorded(method: String, url: String)
  /// The recording of the WebSocket ends after so many messages of the client.
  case conversationNotRecorded(url: String, afterMessages: Int)
  /// Only a stored response was allowed, and the cache has none.
  case notStored(url: String)
  /// A method, header name or header value contains characters that RFC 9110 forbids, such as CR or LF, or frames
  /// the message and contradicts the request: `CONNECT`, `Transfer-Encoding`, or another `Content-Length` than the
  /// body's.
  case invalidField(name: String, value: String)
  /// The file to send does not exist, cannot be read, or is not a file.
  case cannotReadFile(path: String, reason: String)
  /// The stream that provides the body failed.
  case cannotReadBody(reason: String)
  /// The body's length differs from the announced one; if the body is longer, `actual` is a lower bound.
  case wrongBodyLength(announced: Int64, actual: Int64)
  /// The body would have to be sent again, for example after a redirect, but can be read only once.
  case cannotRepeatBody(url: String)
  /// The response body has more bytes than allowed, counted after decoding if it was compressed.
  case responseTooLarge(limit: Int)
  /// A `CircuitBreaker` refused the request, and nothing was sent.
  ///
  /// The next probe may be made after the given time: zero if one is running, and `nil` if the breaker was
  /// isolated by hand.
  case circuitOpen(timeUntilProbe: Duration?)
  /// The maximum number of requests already waits in a limit or is in a transport, and nothing was sent.
  case queueFull(maxWaiting: Int)
  /// The request has waited for this time in a limit without a turn, and nothing was sent.
  case waitedTooLong(Duration)
  /// Any other failure, with the transport's own code and message.
  case other(code: Int, reason: String)
}

extension TransferError {
  /// Whether it is proven that no server has received the request, so that repeating it is safe whatever its
  /// method.
  ///
  /// `RetryPolicy` and `retry(backoff:)` repeat a POST after such an error, like Finagle after a
  /// `Failure.Retryable` and Envoy with `retry_on: connect-failure`. An error of a provider proves it for all
  /// attempts of the request. `false` means that nobody knows; a transport that does not state it, such as
  /// `URLSessionTransport`, never proves it. A layer that sends a request more than once must not forward the
  /// proof of its last transfer. `false` also for a refusal of a layer (`isRefusal`): an earlier attempt of the
  /// request, or one before a redirect, may have been sent.
  public var isUnsent: Bool {
    switch self {
    case .cannotConnect(_, _, let isUnsent), .cannotFindHost(_, let isUnsent), .timedOut(_, _, let isUnsent):
      isUnsent
    default: false
    }
  }

  /// The error without its proof, because the request has been sent before.
  package var withoutProof: TransferError {
    switch self {
    case .cannotConnect(let url, let reason, _): .cannotConnect(url: url, reason: reason)
    case .cannotFindHost(let host, _): .cannotFindHost(host)
    case .timedOut(let limit, let length, _): .timedOut(limit, after: length)
    default: self
    }
  }

  /// Whether a circuit breaker or a limit has refused the request, so that nothing was sent.
  ///
  /// ```swift
  /// do {
  ///   page = try await provider.response(for: .zen)
  /// } catch let error where error.transferError?.isRefusal == true {
  ///   page = lastPage
  /// }
  /// ```
  ///
  /// Operators and layers of a transport refuse with the same error: a `NetworkError` whose `transferError` is one
  /// of these. Retries do not repeat it.
  public var isRefusal: Bool {
    switch self {
    case .circuitOpen, .queueFull, .waitedTooLong: true
    default: false
    }
  }
}

extension TransferError: LocalizedError {
  /// A description in one line, without the user and password of a URL and without the values of secret
  /// fields.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .cancelled: "The request was cancelled."
    case .timedOut(.connect, let length, _): "No connection within \(length.inSeconds) s."
    case .timedOut(.firstByte, let length, _): "No response within \(length.inSeconds) s."
    case .timedOut(.idle, let length, _): "Nothing was sent or received for \(length.inSeconds) s."
    case .timedOut(.total, let length, _): "The transfer did not end within \(length.inSeconds) s."
    case .cannotFindHost(let host, _):
      "The host \"\(redacted(host))\" was not found. Check its name, and whether there is a network."
    case .cannotConnect(let url, let reason, _): "Cannot connect to \(redacted(url)): \(reason)."
    case .connectionLost(let reason): "The connection was lost: \(reason)."
    case .truncatedBody(let reason): "The body ended early: \(reason)."
    case .secureConnectionFailed(let reason): "No secure connection: \(reason)."
    case .certificate(let problem, let host, let reason):
      "No secure connection to \(redacted(host)): \(problem.description) (\(reason))."
    case .badServerResponse(let reason): "The server's response is not valid HTTP: \(reason)."
    case .tooManyRedirects(let limit): "More than \(limit) redirects."
    case .redirectRefused(let url, let reason):
      "The redirect to \"\(redacted(url))\" was not followed: \(reason)."
    case .unsupportedURL(let url): "\"\(redacted(url))\" is not an http or https URL that can be requested."
    case .notRecorded(let method, let url):
      "No response to \(method) \(redacted(url)) with this body has been recorded."
    case .conversationNotRecorded(let url, let count):
      "The recording of the WebSocket \(redacted(url)) ends after message \(count) of the client."
    case .notStored(let url): "No response to a request for \(redacted(url)) is stored."
    case .invalidField(let name, let value):
      Self.sentence(of: Redactor.standard.redacted(invalid: HTTPHeader(name: name, value: value)))
    case .cannotReadFile(let path, let reason): "The file \"\(path)\" cannot be sent: \(reason)."
    case .cannotReadBody(let reason): "The body to send cannot be read: \(reason)."
    case .wrongBodyLength(let announced, let actual):
      "The body to send was announced with \(announced) bytes and has \(actual)\(actual > announced ? " or more" : "")."
    case .cannotRepeatBody(let url):
      "The body would have to be sent again to \(redacted(url)), and it can be read only once."
    case .responseTooLarge(let limit):
      """
      The response body has more than \(limit) bytes. The limit is the `responseBodyLimit` of the target, the provider or \
      the request, or the provider's `memoryBodyLimit` (256 MiB unless given): raise it, or receive the body as a file or a stream.
      """
    case .circuitOpen(nil):
      "The request was not sent because the circuit breaker makes no call until it is closed by hand."
    case .circuitOpen(let wait?):
      "The request was not sent because the circuit breaker is open after too many failures. "
        + (wait > .zero ? "Try again in \(wait.inSeconds) s." : "Another request probes the server now.")
    case .queueFull(let limit):
      "The request was not sent because \(limit) others come first. Send fewer at a time, or raise maxWaiting, or "
        + "connections.requestLimit of a CurlTransport."
    case .waitedTooLong(let length):
      "The request was not sent because it did not get a turn within \(length.inSeconds) s. Send fewer at a time, or "
        + "raise longestWait."
    case .other(let code, let reason): "\(reason) (\(code))."
    }
  }

  private static func sentence(of field: (name: String, value: String)) -> String {
    "\(field.name.debugDescription) with the value \(field.value.debugDescription) cannot be sent in a request."
  }

  private func redacted(_ url: String) -> String { Redactor.standard.redacted(url: url) }
}
