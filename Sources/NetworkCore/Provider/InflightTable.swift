import Locking

/// The transfers of a provider that further callers may share.
final class InflightTable: Sendable {
  /// What must be equal for an answer to serve both.
  struct Key: Hashable, Sendable {
    let request: TransportRequest
    let form: MultipartFormData?
    let validation: ResponseValidation
    /// Plugins may put the token in after the endpoint has been compared.
    let authorization: AuthorizationType?
    let isStub: Bool
  }

  /// Those who wait for the transfers.
  let callers = InflightCallers()
  private let calls = Lock([Key: SharedCall]())

  /// Lets a caller share the transfer of this key; `start` is called with a new one where there is none.
  func join(_ call: RequestCall, _ key: Key, start: (SharedCall) -> Void) {
    while true {
      // A new one each time: those who found the last one may have come and gone before this caller was admitted.
      let new = SharedCall { [weak self] in self?.remove($0, key) }
      let shared = calls.withLock { calls in
        let shared = calls[key] ?? new
        calls[key] = shared
        return shared
      }
      guard shared.admit(call) else {
        remove(shared, key)
        continue
      }
      call.attach(SharedMembership(call, in: shared), turn: RequestState.firstTurn)
      if shared === new { start(shared) }
      return
    }
  }

  private func remove(_ shared: SharedCall, _ key: Key) {
    let removed = calls.withLock { calls in calls[key] === shared ? calls.removeValue(forKey: key) : nil }
    withExtendedLifetime(removed) {}
  }
}
