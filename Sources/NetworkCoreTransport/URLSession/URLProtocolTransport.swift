internal import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Passes requests to the first `URLProtocol` class that accepts them, and the others to another transport.
///
/// It reports the redirects of the classes as responses; so must the other transport.
package final class URLProtocolTransport: TransportLayer {
  private let classes: [URLProtocol.Type]
  private let tasks: URLSessionTasks
  package let wrapped: any Transport

  package init(_ classes: [URLProtocol.Type], before others: any Transport) {
    self.classes = classes
    wrapped = others
    tasks = URLSessionTasks(protocolClasses: classes)
  }

  deinit {
    tasks.invalidate()
  }

  package var pausesTransfers: Bool { false }

  package func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    // A class may add anything to the requests that it accepts.
    accepts(request) ? .unknown : wrapped.addedCredentials(to: request)
  }

  package func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    accepts(request) ? tasks.start(request, handler: handler) : wrapped.start(request, handler: handler)
  }

  private func accepts(_ request: TransportRequest) -> Bool {
    var shown = request
    shown.credential = nil
    // Either refuses an invalid URL.
    guard let asked = try? URLRequest(shown) else { return false }
    return classes.contains { $0.canInit(with: asked) }
  }
}
