import NetworkCore
import ReactiveNetworkLock

/// The messages that a connection has not sent, which are reported at its end, in their order.
final class UnsentMessages: Sendable {
  private struct State {
    var outbox = Outbox<OutgoingMessage>()
    /// Whether the connection has ended, so that nobody else reports what follows.
    var hasEnded = false
  }

  private let state = Lock(State())
  private let report: @Sendable (OutgoingMessage) -> Void

  init(report: @escaping @Sendable (OutgoingMessage) -> Void) {
    self.report = report
  }

  /// Adds a message; called on a thread that must not block.
  func add(_ message: OutgoingMessage) {
    let first = state.withLock { state in
      state.outbox.append(message)
      return state.hasEnded ? state.outbox.start() : nil
    }
    if let first { _ = DispatchDelayScheduler().schedule(after: 0) { self.report(from: first) } }
  }

  /// Reports the messages so far.
  func reportAll() {
    report(
      from: state.withLock { state in
        state.hasEnded = true
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
