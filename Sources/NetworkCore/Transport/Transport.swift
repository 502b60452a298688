public import struct Foundation.Data

/// What carries requests to servers: `CurlTransport`, `URLSessionTransport`, or one of your own.
///
/// A transport knows nothing of targets, plugins or stubs; it starts transfers, reports what happens to them
/// and stops them.
public protocol Transport: Sendable {
  /// Starts a transfer and returns at once.
  ///
  /// `handler` gets the transfer's events one after the other on a thread of the transport's own; what else waits while it blocks is
  /// for each transport to say: progress of the request body where `reportsProgress` asks for it, the head, the body in pieces, and
  /// exactly one `.finished` as the last. That last event comes on every path: also after `cancel()`, as
  /// `.finished(.cancelled)`, and for a request that cannot be sent at all. A status such as 404 is not an error.
  ///
  /// - Parameters:
  ///   - request: what to send.
  ///   - handler: gets the events.
  /// - Returns: a token whose `cancel()` takes the transfer off the wire: the connection is closed (HTTP/1.1) or
  ///   the stream reset (HTTP/2). May be called on any thread, the transport's own included. One that is a `Transfer`
  ///   can also be paused.
  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable

  /// The header fields that the transport adds to each request that does not set them; none unless given.
  ///
  /// Plugins see them as `RequestType.sessionHeaders`.
  var defaultHeaders: HTTPHeaders { get }
}

extension Transport {
  /// No fields.
  public var defaultHeaders: HTTPHeaders { [:] }
}

/// A transfer whose receiver can have the sender wait.
///
/// A receiver that does not keep up would otherwise fill the memory with what has arrived. The calls do not add up: one
/// `resume()` undoes any number of `pause()`.
public protocol Transfer: AnyObject, Cancellable {
  /// Reports no more of the body until `resume()`, but for a piece that is on its way already.
  ///
  /// The transport stops reading, so that the sender has to wait: TCP's window fills (HTTP/1.1), or the stream's
  /// (HTTP/2), while others on the connection go on. A stream's window has 32 MiB in libcurl 7.88, which it holds in
  /// memory. That is no idleness: `idleTimeout` does not count meanwhile. May be called on any thread; within the
  /// handler, nothing comes after the event that it is handling. The end is reported all the same once there is no
  /// more to receive.
  func pause()

  /// Goes on after `pause()`; may be called on any thread.
  func resume()
}

/// What a transport reports of a transfer.
public enum TransferEvent: Sendable {
  /// So many bytes of the request body have been sent; `of` is its whole length, `nil` where unknown.
  case sent(Int64, of: Int64?)
  /// The head of the final answer has arrived; informational (1xx) answers are not reported.
  case head(ResponseHead)
  /// The next piece of the body has arrived, decoded where it came compressed; never empty.
  case body(Data)
  /// What the transfer took; reported right before the end where `reportsMetrics` asks for it and the transport can.
  case metrics(TransferMetrics)
  /// The transfer is over: whole when the error is `nil`.
  case finished(TransferError?)
}
