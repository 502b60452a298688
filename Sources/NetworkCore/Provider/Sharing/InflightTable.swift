import ReactiveNetworkLock

/// The transfers of a provider that new callers can join.
final class InflightTable: Sendable {
  /// The values that must be equal for two requests to share a response.
  struct Key: Hashable, Sendable {
    let request: TransportRequest
    let form: MultipartFormData?
    let validation: ResponseValidation
    /// Compared separately, because plugins may add the token after the endpoint has been compared.
    let authorization: AuthorizationType?
    let isStub: Bool
  }

  /// The callers of requests that may share a transfer.
  let callers = InflightCallers()
  private let calls = Lock([Key: SharedTransfer]())

  /// Adds a caller to the transfer for this key; if there is none, creates one and passes it to `start`.
  func join(_ call: RequestCall, _ key: Key, start: (SharedTransfer) -> Void) {
    while true {
      // Each pass creates a new object: all callers of the previous one may have left before this caller was
      // added.
      let new = SharedTransfer { [weak self] in self?.remove($0, key) }
      let shared = calls.withLock { calls in
        let shared = calls[key] ?? new
        calls[key] = shared
        return shared
      }
      guard shared.add(call) else {
        remove(shared, key)
        continue
      }
      call.attach(SharedTransferToken(call, in: shared), replyNumber: RequestState.firstReplyNumber)
      if shared === new { start(shared) }
      return
    }
  }

  private func remove(_ shared: SharedTransfer, _ key: Key) {
    let removed = calls.withLock { calls in calls[key] === shared ? calls.removeValue(forKey: key) : nil }
    withExtendedLifetime(removed) {}
  }
}
