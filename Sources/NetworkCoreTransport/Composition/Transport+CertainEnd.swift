internal import Synchronization

extension Transport {
  /// Starts a transfer whose end is reported in any case: with `.connectionLost` if the transport releases
  /// the handler without having reported it.
  ///
  /// The provider, and each layer that keeps the caller's handler, start their transfers with it. The other
  /// layers release the caller's handler together with their own.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - handler: receives the events.
  /// - Returns: the token of the transfer.
  package func startWithCertainEnd(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let receiver = CertainEnd(handler)
    return start(request) { receiver.receive($0) }
  }
}

/// Reports the end of a transfer if it is released before the transport has reported it.
private final class CertainEnd: Sendable {
  private let handler: @Sendable (TransferEvent) -> Void
  private let hasEnded = Atomic(false)

  init(_ handler: @escaping @Sendable (TransferEvent) -> Void) {
    self.handler = handler
  }

  deinit {
    guard !hasEnded.load(ordering: .relaxed) else { return }
    handler(.finished(.connectionLost(reason: "the transport released its handler before the end")))
  }

  func receive(_ event: TransferEvent) {
    if case .finished = event { hasEnded.store(true, ordering: .relaxed) }
    handler(event)
  }
}
