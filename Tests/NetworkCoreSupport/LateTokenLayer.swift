import Dispatch
import NetworkCore
import Testing

/// A transport whose `start` returns only when a certain event of the transfer has been handled.
struct LateTokenLayer: TransportLayer {
  let wrapped: any Transport
  let isAwaited: @Sendable (TransferEvent) -> Bool

  var deliversWithoutBlocking: Bool { wrapped.deliversWithoutBlocking }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let wasHandled = DispatchSemaphore(value: 0)
    let token = wrapped.start(request) { event in
      handler(event)
      if isAwaited(event) { wasHandled.signal() }
    }
    #expect(wasHandled.wait(timeout: .now() + TestTimeouts.longestWait) == .success)
    return token
  }
}
