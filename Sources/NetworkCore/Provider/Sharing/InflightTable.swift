import ReactiveNetworkLock

/// The transfers of a provider that new attempts can join.
final class InflightTable: Sendable {
  /// What the transport or the stub gets, with all that interceptors and plugins have added.
  ///
  /// Attempts with equal keys get the same response.
  struct Key: Hashable, Sendable {
    private let request: TransportRequest
    /// Compared by its parts, instead of the body that is made of it and equals no other.
    private let form: MultipartFormData?
    private let isStub: Bool

    init(_ outgoing: TransportRequest, _ form: MultipartFormData?, isStub: Bool) {
      var request = outgoing
      if let form {
        request.body = .none
        if request.headers["Content-Type"] == form.contentType {
          request.headers.remove(name: "Content-Type")
        }
      }
      self.request = request
      self.form = form
      self.isStub = isStub
    }
  }

  /// The callers of requests that may share a transfer.
  let callers = InflightCallers()
  private let transfers = Lock([Key: SharedTransfer]())

  /// Adds an attempt to the transfer for this key; if there is none, makes one and passes it to `start`.
  ///
  /// - Parameters:
  ///   - attempt: the attempt.
  ///   - key: its key.
  ///   - observation: observes a new transfer.
  ///   - scheduler: delivers the events of a new transfer that several attempts share.
  ///   - start: starts a new transfer.
  func join(
    _ attempt: RequestAttempt, _ key: Key, observation: RequestObservation?, scheduler: any DelayScheduler,
    start: (SharedTransfer) -> Void
  ) {
    while true {
      // Each pass creates a new object: all members of the previous one may have left before this attempt was
      // added.
      let new = SharedTransfer(attempt.request, observation: observation, scheduler: scheduler) {
        [weak self] in self?.remove($0, key)
      }
      let shared = transfers.withLock { transfers in
        let shared = transfers[key] ?? new
        transfers[key] = shared
        return shared
      }
      guard shared.add(attempt) else {
        remove(shared, key)
        continue
      }
      attempt.call.attach(SharedTransferToken(attempt.call, in: shared), replyNumber: attempt.replyNumber)
      if shared === new, shared.isWaiting { start(shared) }
      return
    }
  }

  private func remove(_ shared: SharedTransfer, _ key: Key) {
    let removed = transfers.withLock { transfers in
      transfers[key] === shared ? transfers.removeValue(forKey: key) : nil
    }
    withExtendedLifetime(removed) {}
  }
}
