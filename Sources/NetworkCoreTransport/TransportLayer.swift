/// A transport around another one, which changes or watches some of its requests.
///
/// A layer has the default fields, the gauges, the pausing and the upgrades of the wrapped transport. What it
/// adds to a request (``Transport/addedCredentials(to:)``) is `.unknown` unless the layer states it, and then
/// no response is cached or shared. A layer that adds nothing on which a response may depend states the wrapped
/// transport's answer:
///
/// ```swift
/// struct RequestIDs: TransportLayer {
///   let wrapped: any Transport
///
///   func addedCredentials(to request: TransportRequest) -> AddedCredentials {
///     wrapped.addedCredentials(to: request)
///   }
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
/// request.
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

  /// Whether the wrapped transport sends requests that switch protocols.
  public var upgradesConnections: Bool { wrapped.upgradesConnections }
}
