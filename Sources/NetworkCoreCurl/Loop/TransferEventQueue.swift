internal import ReactiveNetworkLock

/// The events of a transfer on their way from the loop's thread to the delivering thread.
///
/// New events are merged with those not yet delivered. One thread delivers at a time.
struct TransferEventQueue: ~Copyable {
  // Not private: the compiler (6.3) crashes on a private type behind a lock that a type of another file
  // embeds.
  struct State {
    var events = PendingEvents()
    /// Whether a thread delivers, or is about to.
    var isDelivering = false
    /// Whether libcurl holds back data until the pending part of the body is delivered.
    var isHolding = false
  }

  private let state = Lock(State())

  /// The number of bytes of the body that are pending.
  var bodyCount: Int { state.withLock { $0.events.body?.count ?? 0 } }

  /// Adds events, and empties `events`.
  ///
  /// - Parameters:
  ///   - events: the new events.
  ///   - isHolding: whether libcurl holds back data until the pending part of the body is delivered.
  /// - Returns: whether a thread must start to deliver, and whether libcurl may resume at once.
  func enqueue(_ events: inout PendingEvents, isHolding: Bool) -> (mustDeliver: Bool, mayResume: Bool) {
    state.withLock { state in
      state.events.merge(&events)
      let mayResume = isHolding && state.events.body == nil
      state.isHolding = state.isHolding || isHolding && !mayResume
      let mustDeliver = !state.isDelivering && !state.events.isEmpty
      state.isDelivering = state.isDelivering || mustDeliver
      return (mustDeliver, mayResume)
    }
  }

  /// Returns the next event for the delivering thread; `nil` if that thread must stop, which is also the case
  /// after the last event.
  ///
  /// `mayResume` is `true` if libcurl need not hold back data any longer.
  func next(
    isCancelled: () -> Bool, isPaused: () -> Bool
  ) -> (event: TransferEvent, mayResume: Bool)? {
    state.withLock { state in
      guard let event = state.events.next(isCancelled: isCancelled(), isPaused: isPaused()) else {
        state.isDelivering = false
        return nil
      }
      let mayResume = state.isHolding && state.events.body == nil
      if mayResume { state.isHolding = false }
      return (event, mayResume)
    }
  }

  /// Notes that a pause may have ended; returns whether a thread must start to deliver.
  func resume() -> Bool {
    state.withLock { state in
      let mustDeliver = !state.isDelivering && !state.events.isEmpty
      state.isDelivering = state.isDelivering || mustDeliver
      return mustDeliver
    }
  }
}
