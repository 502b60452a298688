import LoopbackServer
import NetworkCore

extension NetworkProvider {
  /// Creates a provider whose requests go to a local server, independent of the base URLs of their targets.
  convenience init(
    at server: LoopbackServer, plugins: [any PluginType] = [], interceptors: [any RequestInterceptor] = []
  ) {
    let transport = ReroutingTransport(transport: Session.default, origin: server.origin)
    self.init(transport: transport, plugins: plugins, interceptors: interceptors)
  }
}

/// Sends all requests to one server.
private struct ReroutingTransport: Transport {
  let transport: any Transport
  let origin: String
  var upgradesConnections: Bool { transport.upgradesConnections }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    var request = request
    let parts = request.url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    request.url = "\(origin)/\(parts.dropFirst(3).joined())"
    return transport.start(request, handler: handler)
  }
}
