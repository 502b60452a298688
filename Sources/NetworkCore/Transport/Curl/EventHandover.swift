internal import Locking

/// The events of a transfer on their way from the loop's thread to the one that delivers them.
///
/// What has not been delivered yet grows by what comes. One thread delivers at a time.
struct EventHandover: ~Copyable {
  // Not private: the compiler (6.3) crashes on one behind a lock that a type of another file embeds.
  struct State {
    var events = UndeliveredEvents()
    /// Whether a thread delivers, or is about to.
    var isDelivering = false
    /// Whether libcurl holds back what comes until the body that waits is delivered.
    var isHolding = false
  }

  private let state = Lock(State())

  /// How many bytes of the body wait to be delivered.
  var bodyCount: Int { state.withLock { $0.events.body?.count ?? 0 } }

  /// Adds events, and leaves none behind.
  ///
  /// - Parameters:
  ///   - events: what has happened.
  ///   - isHolding: whether libcurl holds back what comes until all of the body is delivered.
  /// - Returns: whether a thread has to deliver, and whether libcurl may go on at once.
  func put(_ events: inout UndeliveredEvents, isHolding: Bool) -> (delivers: Bool, goesOn: Bool) {
    state.withLock { state in
      state.events.take(&events)
      let goesOn = isHolding && state.events.body == nil
      state.isHolding = state.isHolding || isHolding && !goesOn
      let delivers = !state.isDelivering && !state.events.isEmpty
      state.isDelivering = state.isDelivering || delivers
      return (delivers, goesOn)
    }
  }

  /// The next event for the thread that delivers; `nil` if it is to stop, which it is after the end, too.
  ///
  /// `goesOn` says that libcurl need not hold back any more.
  func next(
    isCancelled: () -> Bool, isPaused: () -> Bool
  ) -> (event: TransferEvent, goesOn: Bool)? {
    state.withLock { state in
      guard let event = state.events.next(isCancelled: isCancelled(), isPaused: isPaused()) else {
        state.isDelivering = false
        return nil
      }
      let goesOn = state.isHolding && state.events.body == nil
      if goesOn { state.isHolding = false }
      return (event, goesOn)
    }
  }

  /// What kept events back may be over; returns whether a thread has to deliver.
  func resume() -> Bool {
    state.withLock { state in
      let delivers = !state.isDelivering && !state.events.isEmpty
      state.isDelivering = state.isDelivering || delivers
      return delivers
    }
  }
}
