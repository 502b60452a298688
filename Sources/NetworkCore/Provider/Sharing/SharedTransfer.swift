import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One transfer that the attempts of several calls share.
///
/// Each call prepares its own request, notifies the plugins and validates the response; only the transfer is
/// common.
final class SharedTransfer: TransferRecipient {
  private struct Members {
    /// In the order in which they were added.
    var attempts: [RequestAttempt] = []
    var isOver = false
  }

  let request: URLRequest
  /// Receives the events of the transfer; `nil` if nothing observes it.
  let observation: RequestObservation?
  /// Cancels the transfer.
  let token = PendingToken()
  /// Delivers the events if there are several attempts.
  private let scheduler: any DelayScheduler
  private let members = Lock(Members())
  private let onEnd: @Sendable (SharedTransfer) -> Void

  /// Makes a transfer; `onEnd` is called when it accepts no more attempts.
  init(
    _ request: URLRequest, observation: RequestObservation?, scheduler: any DelayScheduler,
    onEnd: @escaping @Sendable (SharedTransfer) -> Void
  ) {
    self.request = request
    self.observation = observation
    self.scheduler = scheduler
    self.onEnd = onEnd
  }

  var wantsProgress: Bool { true }

  var isWaiting: Bool { members.withLock { !$0.isOver } }

  /// Adds an attempt; `false` if the transfer is over.
  func add(_ attempt: RequestAttempt) -> Bool {
    members.withLock { members in
      if !members.isOver { members.attempts.append(attempt) }
      return !members.isOver
    }
  }

  /// Removes the attempt of a call; the last removal cancels the transfer.
  func remove(_ call: RequestCall) {
    let isLast = members.withLock { members in
      guard !members.isOver else { return false }
      members.attempts.removeAll { $0.call === call }
      members.isOver = members.attempts.isEmpty
      return members.isOver
    }
    guard isLast else { return }
    onEnd(self)
    token.cancel()
    observation?.end(.failure(.cancelled))
  }

  func report(_ progress: ProgressResponse) {
    deliver(to: members.withLock { $0.attempts }) { $0.report(progress, on: $1) }
  }

  func finish(_ result: Result<Response, NetworkError>) {
    let attempts = members.withLock { members in
      members.isOver = true
      return exchange(&members.attempts, with: [])
    }
    guard !attempts.isEmpty else { return }
    onEnd(self)
    observation?.end(result)
    deliver(to: attempts) { $0.finish(result, on: $1) }
  }

  /// Delivers an event to attempts: on this thread if there is only one, and otherwise on the scheduler, so
  /// that no caller waits for the handler of another one.
  private func deliver(
    to attempts: [RequestAttempt], _ event: (RequestAttempt, (any DelayScheduler)?) -> Void
  ) {
    for attempt in attempts { event(attempt, attempts.count > 1 ? scheduler : nil) }
  }
}

/// A call's membership in a shared transfer.
final class SharedTransferToken: Cancellable {
  private let shared: SharedTransfer
  private let call: RequestCall

  init(_ call: RequestCall, in shared: SharedTransfer) {
    self.call = call
    self.shared = shared
  }

  var isCancelled: Bool { call.isCancelled }

  func cancel() { shared.remove(call) }
}
