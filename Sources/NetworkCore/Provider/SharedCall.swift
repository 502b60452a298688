import Locking

/// One transfer that several callers wait for.
///
/// It is made by a call of its own, which prepares, sends and tells `didReceive`; each caller has another, which gets the
/// result from here and goes through `process` and the completion.
final class SharedCall: Sendable {
  private struct Members {
    /// In the order in which they came.
    var calls: [RequestCall] = []
    var isOver = false
  }

  /// The call that makes the transfer.
  let transfer = PendingToken()
  private let members = Lock(Members())
  private let onEnd: @Sendable (SharedCall) -> Void

  /// Makes a transfer; `onEnd` is called when nobody can be admitted any more.
  init(onEnd: @escaping @Sendable (SharedCall) -> Void) {
    self.onEnd = onEnd
  }

  /// Takes a caller in; `false` where the transfer is over.
  func admit(_ call: RequestCall) -> Bool {
    members.withLock { members in
      if !members.isOver { members.calls.append(call) }
      return !members.isOver
    }
  }

  /// Lets a caller go; the last one ends the transfer.
  func dismiss(_ call: RequestCall) {
    let isLast = members.withLock { members in
      guard !members.isOver else { return false }
      members.calls.removeAll { $0 === call }
      members.isOver = members.calls.isEmpty
      return members.isOver
    }
    guard isLast else { return }
    onEnd(self)
    transfer.cancel()
  }

  /// The transfer has come further.
  func report(_ progress: ProgressResponse) {
    // Each caller makes its own last progress, of what `process` has given it.
    guard !progress.completed else { return }
    for call in members.withLock({ $0.calls }) { call.report(progress, turn: RequestState.firstTurn) }
  }

  /// The transfer has ended.
  func finish(_ result: Result<Response, NetworkError>) {
    let calls = members.withLock { members in
      members.isOver = true
      defer { members.calls = [] }
      return members.calls
    }
    onEnd(self)
    for call in calls { call.end(result, turn: RequestState.firstTurn) }
  }
}

/// A caller's share in a transfer.
final class SharedMembership: Cancellable {
  private let shared: SharedCall
  private let call: RequestCall

  init(_ call: RequestCall, in shared: SharedCall) {
    self.call = call
    self.shared = shared
  }

  var isCancelled: Bool { call.isCancelled }

  func cancel() { shared.dismiss(call) }
}
