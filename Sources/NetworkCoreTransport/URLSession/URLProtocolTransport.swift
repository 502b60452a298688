internal import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Passes requests to the first `URLProtocol` class that accepts them, and the others to another transport.
package final class URLProtocolTransport: Transport {
  private let classes: [URLProtocol.Type]
  private let accepted: URLSessionTransport
  let others: any Transport

  package init(_ classes: [URLProtocol.Type], before others: any Transport, followsRedirects: Bool) {
    self.classes = classes
    self.others = others
    accepted = URLSessionTransport(protocolClasses: classes, followsRedirects: followsRedirects)
  }

  package var defaultHeaders: HTTPHeaders { others.defaultHeaders }

  package func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    var shown = request
    shown.credential = nil
    // Both transports refuse an invalid URL.
    let asked = try? URLRequest(shown)
    let isAccepted = asked.map { asked in classes.contains { $0.canInit(with: asked) } } ?? false
    return (isAccepted ? accepted : others).start(request, handler: handler)
  }
}
