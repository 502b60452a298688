import Foundation
import ReactiveNetworkLock
import NetworkCore

/// A transport whose transfers are controlled by a test.
final class ScriptedTransport: Transport {
  /// One transfer; a test sends its events.
  final class Transfer: Cancellable {
    let request: TransportRequest
    private let handler: Lock<(@Sendable (TransferEvent) -> Void)?>
    private let cancels = Lock(0)

    init(_ request: TransportRequest, _ handler: @escaping @Sendable (TransferEvent) -> Void) {
      self.request = request
      self.handler = Lock(handler)
    }

    var cancelCount: Int { cancels.withLock { $0 } }
    var isCancelled: Bool { cancelCount > 0 }
    func cancel() { cancels.withLock { $0 += 1 } }

    func send(_ events: TransferEvent...) {
      guard let handler = handler.withLock({ $0 }) else { return }
      for event in events { handler(event) }
    }

    /// Sends a complete response.
    func respond(_ statusCode: Int = 200, headers: HTTPHeaders = [:], _ body: String = "") {
      send(.head(ResponseHead(statusCode: statusCode, url: request.url, headers: headers)))
      if !body.isEmpty { send(.body(Data(body.utf8))) }
      send(.finished(nil))
    }

    /// Releases the handler.
    func releaseHandler() {
      _ = handler.withLock { handler in
        defer { handler = nil }
        return handler
      }
    }
  }

  private let started = Lock([Transfer]())
  private let onStart: @Sendable (Transfer) -> Void
  let defaultHeaders: HTTPHeaders

  /// Creates a transport; `onStart` runs inside `start`, before it returns.
  init(defaultHeaders: HTTPHeaders = [:], onStart: @escaping @Sendable (Transfer) -> Void = { _ in }) {
    self.defaultHeaders = defaultHeaders
    self.onStart = onStart
  }

  var transfers: [Transfer] { started.withLock { $0 } }

  /// Drops the transfers, which keep their requests alive.
  func forget() {
    let dropped = started.withLock { started in
      defer { started = [] }
      return started
    }
    withExtendedLifetime(dropped) {}
  }

  /// Ends every transfer, because a transfer that never ends keeps its provider alive, which keeps this
  /// transport alive.
  func finish() {
    for transfer in transfers { transfer.send(.finished(nil)) }
  }

  func addedCredentials(to request: TransportRequest) -> AddedCredentials { [] }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = Transfer((try? request.validated()) ?? request, handler)
    started.withLock { $0.append(transfer) }
    onStart(transfer)
    return transfer
  }
}
