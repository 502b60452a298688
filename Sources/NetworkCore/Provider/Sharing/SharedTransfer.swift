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
  private let members = Lock(Members())
  private let onEnd: @Sendable (SharedTransfer) -> Void

  /// Makes a transfer; `onEnd` is called when it accepts no more attempts.
  init(
    _ request: URLRequest, observation: RequestObservation?,
    onEnd: @escaping @Sendable (SharedTransfer) -> Void
  ) {
    self.request = request
    self.observation = observation
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
    for attempt in members.withLock({ $0.attempts }) { attempt.report(progress) }
  }

  func finish(_ result: Result<Response, NetworkError>) {
    let attempts = members.withLock { members in
      members.isOver = true
      defer { members.attempts = [] }
      return members.attempts
    }
    guard !attempts.isEmpty else { return }
    onEnd(self)
    observation?.end(result)
    for attempt in attempts { attempt.finish(result) }
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
