import Foundation
import ReactiveNetworkLock
import NetworkCore

/// A transport that keeps its transfers alive until they end, as a real transport does, and counts the
/// transfers that are still alive.
final class TransferCountingTransport: Transport {
  /// One transfer; a test sends its events.
  final class Transfer: NetworkCore.Transfer {
    private let handler: Lock<(@Sendable (TransferEvent) -> Void)?>
    private let onEnd: @Sendable (Transfer) -> Void

    fileprivate init(
      _ handler: @escaping @Sendable (TransferEvent) -> Void, onEnd: @escaping @Sendable (Transfer) -> Void
    ) {
      self.handler = Lock(handler)
      self.onEnd = onEnd
    }

    var isCancelled: Bool { handler.withLock { $0 == nil } }
    func cancel() { send(.finished(.cancelled)) }
    func pause() {}
    func resume() {}

    func send(_ events: TransferEvent...) {
      for event in events {
        let handler = handler.withLock { handler in
          if case .finished = event { handler.take() } else { handler }
        }
        handler?(event)
        if case .finished = event { onEnd(self) }
      }
    }

    /// Releases the handler without sending an end.
    func releaseHandler() {
      let spent = handler.withLock { $0.take() }
      withExtendedLifetime(spent) { onEnd(self) }
    }
  }

  private struct Started {
    weak var transfer: Transfer?
  }

  private let running = Lock([Transfer]())
  private let started = Lock([Started]())
  private let onStart: @Sendable (Transfer) -> Void

  /// Creates a transport; `onStart` runs inside `start`, before it returns.
  init(onStart: @escaping @Sendable (Transfer) -> Void = { _ in }) {
    self.onStart = onStart
  }

  /// The transfers that have not ended.
  var transfers: [Transfer] { running.withLock { $0 } }

  /// The number of started transfers, and the number of those that are still alive.
  var counts: (started: Int, left: Int) {
    started.withLock { started in (started.count, started.count { $0.transfer != nil }) }
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = Transfer(handler) { [weak self] in self?.release($0) }
    running.withLock { $0.append(transfer) }
    started.withLock { $0.append(Started(transfer: transfer)) }
    onStart(transfer)
    return transfer
  }

  private func release(_ transfer: Transfer) {
    let spent = running.withLock { running in
      defer { running.removeAll { $0 === transfer } }
      return running
    }
    withExtendedLifetime(spent) {}
  }
}
