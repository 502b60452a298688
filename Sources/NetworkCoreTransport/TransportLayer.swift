/// A transport around another one, which changes or watches some of its requests.
///
/// Everything that `Transport` requires except `start` has the wrapped transport's answer, so that a layer
/// only states what it changes:
///
/// ```swift
/// struct RequestIDs: TransportLayer {
///   let wrapped: any Transport
///
///   func start(
///     _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
///   ) -> any Cancellable {
///     var request = request
///     request.headers.update(name: "X-Request-ID", value: UUID().uuidString)
///     return wrapped.start(request, handler: handler)
///   }
/// }
/// ```
///
/// A layer passes on a changed copy of its request, not a new request, and returns the wrapped transport's
/// token, or a `Transfer` that passes `pause()` and `resume()` on to it. The copy carries the observer of the
/// request. A `CachingTransport` outside the layer detects that a field of the request was changed, and does
/// not store the response, which may be meant for one user.
public protocol TransportLayer: Transport {
  /// The transport that carries the requests.
  var wrapped: any Transport { get }
}

extension TransportLayer {
  /// The header fields of the wrapped transport.
  public var defaultHeaders: HTTPHeaders { wrapped.defaultHeaders }

  /// The gauges of the wrapped transport.
  public var gauges: TransportGauges? { wrapped.gauges }

  /// Whether transfers of the wrapped transport can be paused.
  public var pausesTransfers: Bool { wrapped.pausesTransfers }

  /// Returns what the wrapped transport adds to a request.
  ///
  /// - Parameter request: the request.
  /// - Returns: the cookies and credentials.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }
}
