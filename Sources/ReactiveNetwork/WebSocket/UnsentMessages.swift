import NetworkCore
import ReactiveNetworkLock

/// The messages that a connection has not sent, which are reported at its end, in their order.
final class UnsentMessages: Sendable {
  private struct State {
    /// The number of messages so far.
    var count = 0
    /// The messages that were not sent, with their numbers.
    var unsent: [(number: Int, message: OutgoingMessage)] = []
    /// The messages to report; empty before the connection has ended.
    var outbox = Outbox<OutgoingMessage>()
    var hasEnded = false
  }

  private let state = Lock(State())
  private let report: @Sendable (OutgoingMessage) -> Void

  init(report: @escaping @Sendable (OutgoingMessage) -> Void) {
    self.report = report
  }

  /// Returns the number of the next message.
  func nextNumber() -> Int {
    state.withLock { state in
      state.count += 1
      return state.count
    }
  }

  /// Adds a message that was not sent; called on a thread that must not block.
  func add(_ message: OutgoingMessage, _ number: Int) {
    let first = state.withLock { state -> OutgoingMessage? in
      guard state.hasEnded else {
        state.unsent.append((number, message))
        return nil
      }
      state.outbox.append(message)
      return state.outbox.start()
    }
    if let first { _ = DispatchDelayScheduler().schedule(after: .zero) { self.report(from: first) } }
  }

  /// Reports the messages so far, because the connection has ended.
  func reportAll() {
    report(
      from: state.withLock { state in
        // Two threads may have added them.
        for item in state.unsent.sorted(by: { $0.number < $1.number }) { state.outbox.append(item.message) }
        (state.unsent, state.hasEnded) = ([], true)
        return state.outbox.start()
      })
  }

  private func report(from first: OutgoingMessage?) {
    var message = first
    while let current = message {
      report(current)
      message = state.withLock { $0.outbox.next() }
    }
  }
}
