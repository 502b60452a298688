import ReactiveNetworkLock

/// One transfer that several callers share.
///
/// A separate call carries out the transfer: it prepares and sends the request, and calls `didReceive`. Each
/// caller has its own call, which receives the result from this object, and runs `process` and the
/// completion.
final class SharedTransfer: Sendable {
  private struct Members {
    /// In the order in which they were added.
    var calls: [RequestCall] = []
    var isOver = false
  }

  /// Cancels the call that carries out the transfer.
  let transferToken = PendingToken()
  private let members = Lock(Members())
  private let onEnd: @Sendable (SharedTransfer) -> Void

  /// Makes a transfer; `onEnd` is called when it accepts no more callers.
  init(onEnd: @escaping @Sendable (SharedTransfer) -> Void) {
    self.onEnd = onEnd
  }

  /// Adds a caller; `false` if the transfer is over.
  func add(_ call: RequestCall) -> Bool {
    members.withLock { members in
      if !members.isOver { members.calls.append(call) }
      return !members.isOver
    }
  }

  /// Removes a caller; the last removal cancels the transfer.
  func remove(_ call: RequestCall) {
    let isLast = members.withLock { members in
      guard !members.isOver else { return false }
      members.calls.removeAll { $0 === call }
      members.isOver = members.calls.isEmpty
      return members.isOver
    }
    guard isLast else { return }
    onEnd(self)
    transferToken.cancel()
  }

  /// Reports progress to the callers.
  func report(_ progress: ProgressResponse) {
    // Each caller creates its own last progress from the result of `process`.
    guard !progress.completed else { return }
    for call in members.withLock({ $0.calls }) {
      call.report(progress, replyNumber: RequestState.firstReplyNumber)
    }
  }

  /// Ends the transfer with a result for the callers.
  func finish(_ result: Result<Response, NetworkError>) {
    let calls = members.withLock { members in
      members.isOver = true
      defer { members.calls = [] }
      return members.calls
    }
    onEnd(self)
    for call in calls { call.end(result, replyNumber: RequestState.firstReplyNumber) }
  }
}

/// A caller's membership in a shared transfer.
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
