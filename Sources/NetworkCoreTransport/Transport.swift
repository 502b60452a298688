public import struct Foundation.Data

/// Carries requests to servers: `CurlTransport`, `URLSessionTransport`, or your own implementation.
///
/// A transport knows nothing of targets, plugins or stubs: it starts transfers, reports their events and
/// cancels them. A transport around another one is a ``TransportLayer``.
public protocol Transport: Sendable {
  /// Starts a transfer and returns at once.
  ///
  /// The transport calls `handler` with one event at a time, on one of its own threads. Each transport
  /// documents which other work waits while the handler blocks. The events are: progress of the request body
  /// if `reportsProgress` is set, the head, the body in pieces, and exactly one `.finished` as the last. The
  /// last event is reported in every case, including after `cancel()`, as `.finished(.cancelled)`, and for a
  /// request that cannot be sent (``TransportRequest/validated(allowsUnixSockets:)``). A status such as 404
  /// is not an error.
  ///
  /// No event but the last follows a `cancel()` within the handler. A redirect is followed, and not reported;
  /// ``followRedirects(_:)`` does that. Too many redirects end the transfer with `.tooManyRedirects`.
  /// ``TransportRequest/bodyReader(onBytesAvailable:)`` reads the request body.
  ///
  /// The transport releases `handler` after the last event. If it releases it earlier, a provider ends the
  /// request with `.connectionLost`, also through the layers of the package. A transfer continues if the
  /// caller releases its token. Releasing the transport closes its idle connections; transfers in flight may
  /// continue until they end or are cancelled.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - handler: receives the events.
  /// - Returns: a token whose `cancel()` stops the transfer: it closes the connection (HTTP/1.1) or resets
  ///   the stream (HTTP/2). It may be called on any thread, the transport's own included. If the token is a
  ///   `Transfer`, the transfer can also be paused.
  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable

  /// The header fields that the transport adds to each request that does not set them; empty by default.
  ///
  /// Plugins see them as `RequestType.sessionHeaders`.
  var defaultHeaders: HTTPHeaders { get }

  /// The current connections and requests; `nil`, the default, if the transport does not count them.
  var gauges: TransportGauges? { get }

  /// Whether the tokens that `start` returns are `Transfer`s, which can be paused; `false` by default.
  ///
  /// The events of a transfer that cannot be paused are buffered without limit for a slow receiver.
  var pausesTransfers: Bool { get }

  /// Whether the transport sends requests with `TransportRequest.upgradesConnection`; `false` by default.
  ///
  /// A provider opens no WebSocket over a transport that does not.
  var upgradesConnections: Bool { get }

  /// Whether the transport runs no code that may block between the wire and the handler of a request with
  /// `TransportRequest.deliversOnLoop`; `false` by default, also for a ``TransportLayer``.
  ///
  /// If so, a provider reads the frames of WebSockets on the thread that carries the transfers.
  var deliversWithoutBlocking: Bool { get }

  /// Returns the cookies and credentials that the transport may add to a request; `.unknown` by default, also
  /// for a ``TransportLayer``.
  ///
  /// A provider shares a transfer (`trackInflights`), and a ``CachingTransport`` stores a response, only as
  /// far as this method allows it. The answer must also be true for a transfer that starts later: a transport
  /// that will add a token after a login states `.credential` before the login, too.
  ///
  /// - Parameter request: the request.
  /// - Returns: what the transport may add; `[]` if it sends the URL, the fields and the credential of the
  ///   request, its own ``defaultHeaders``, and nothing else that a response may depend on.
  func addedCredentials(to request: TransportRequest) -> AddedCredentials
}

extension Transport {
  /// No fields.
  public var defaultHeaders: HTTPHeaders { [:] }

  /// No gauges.
  public var gauges: TransportGauges? { nil }

  /// `false`: transfers cannot be paused.
  public var pausesTransfers: Bool { false }

  /// `false`: connections keep their protocol.
  public var upgradesConnections: Bool { false }

  /// `false`: the transport may block.
  public var deliversWithoutBlocking: Bool { false }

  /// Returns `.unknown`.
  ///
  /// - Parameter request: the request.
  /// - Returns: `.unknown`.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials { .unknown }
}

/// A transfer that its receiver can pause, so that the server waits.
///
/// Without pausing, the data that a slow receiver has not yet processed would fill the memory. Calls do not
/// nest: one `resume()` undoes any number of `pause()`.
public protocol Transfer: AnyObject, Cancellable {
  /// Stops reporting the body until `resume()`, except for a piece that is already being delivered.
  ///
  /// The transport stops reading, so that the server has to wait: the TCP window (HTTP/1.1) or the stream's
  /// window (HTTP/2) fills, while other streams of the connection continue. In libcurl 7.88 a stream's window
  /// is 32 MiB, which libcurl holds in memory. A pause does not count as idle time for `idleTimeout`. May be
  /// called on any thread; if it is called within the handler, no event follows the one being handled. The
  /// end of the transfer is still reported if nothing is left to receive. A paused transfer whose token is released
  /// may never end: resume or cancel it before.
  func pause()

  /// Resumes after `pause()`; may be called on any thread.
  func resume()
}

/// An event of a transfer, as a transport reports it.
public enum TransferEvent: Sendable {
  /// The number of bytes of the request body sent so far; `of` is the length of the whole body, `nil` if
  /// unknown.
  case sent(Int64, of: Int64?)
  /// The head of the final response; informational (1xx) responses are not reported.
  case head(ResponseHead)
  /// The next piece of the body, decoded if it was compressed; never empty.
  case body(Data)
  /// The metrics of the transfer; reported right before the end if `reportsMetrics` is set and the transport
  /// has them.
  case metrics(TransferMetrics)
  /// The end of the transfer; the response is complete if the error is `nil`.
  case finished(TransferError?)
}
