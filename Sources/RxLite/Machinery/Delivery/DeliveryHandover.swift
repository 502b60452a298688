public import ReactiveNetworkLock
public import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Hands the delivery of events over from one thread to another.
///
/// The delivering thread looks for a successor after it has delivered `eventsPerTurn` events that other
/// threads sent, or at once if that many are pending. A thread that sends meanwhile sleeps for a moment, and
/// takes over if the delivery was offered by then. Otherwise it leaves its event to the delivering thread,
/// because the delivery may be waiting for this thread. Without a successor the delivering thread continues, so
/// pending events are always delivered.
///
/// The pause also slows down the senders that the delivery cannot keep up with.
@usableFromInline struct DeliveryHandover: ~Copyable, Sendable {
  @usableFromInline struct State {
    /// The delivering thread, if it is looking for a successor.
    var deliverer: pthread_t?
    /// The number of threads that wait to take over.
    var candidates = 0
    /// `true` if the delivery belongs to the first candidate that checks.
    var isOffered = false
  }

  /// The number of events of other threads that a thread delivers before it looks for a successor.
  @inlinable static var eventsPerTurn: Int { 64 }

  /// How long a thread waits to take over, in microseconds.
  private static let pause: UInt32 = 50

  @usableFromInline let state = Lock(State())
  // These flags let both sides skip the lock while there is nothing to hand over.
  private let seeksSuccessor = Atomic(false)
  @usableFromInline let hasCandidates = Atomic(false)

  @usableFromInline init() {}

  /// Delivers the items of an outbox until none is left or the delivery is handed over.
  ///
  /// Called by the thread that delivers from the outbox.
  ///
  /// - Parameters:
  ///   - state: protects the outbox.
  ///   - next: returns the next item, which ends the delivery if it is `nil`, and the number of those that wait.
  ///   - deliver: delivers an item.
  @inlinable @inline(__always) borrowing func drain<State, Item>(
    _ state: borrowing Lock<State>, next: (inout State) -> (item: Item?, waiting: Int),
    deliver: (Item) -> Void
  ) {
    var remaining = Self.eventsPerTurn
    while true {
      let isSeeking = remaining == 0
      let (item, waiting) = state.withLock { state in
        let next = next(&state)
        // Under the lock, because another thread may deliver and seek a successor as soon as it is free.
        if next.item == nil, isSeeking { stopSeekingSuccessor() }
        return next
      }
      guard let item else { return }
      if !isSeeking { seekSuccessorIfBehind(pending: waiting, remaining: &remaining) }
      deliver(item)
      if countDelivery(remaining: &remaining) { return }
    }
  }

  /// Counts a delivery and returns `true` if the caller has handed the delivery over.
  @inlinable borrowing func countDelivery(remaining: inout Int) -> Bool {
    if remaining > 0 {
      remaining -= 1
      if remaining == 0 { seekSuccessor() }
      return false
    }
    return hasCandidates.load(ordering: .relaxed) && offerDelivery()
  }

  /// Starts to look for a successor if the caller has delivered enough events or as many are pending.
  @inlinable borrowing func seekSuccessorIfBehind(pending: Int, remaining: inout Int) {
    if pending >= Self.eventsPerTurn { remaining = 0 }
    if remaining == 0 { seekSuccessor() }
  }

  @usableFromInline borrowing func seekSuccessor() {
    seeksSuccessor.store(true, ordering: .relaxed)
    state.withLock { $0.deliverer = pthread_self() }
  }

  /// Stops looking for a successor, so that the candidates stop waiting.
  ///
  /// Called when everything is delivered.
  @usableFromInline borrowing func stopSeekingSuccessor() {
    guard seeksSuccessor.load(ordering: .relaxed) else { return }
    seeksSuccessor.store(false, ordering: .relaxed)
    state.withLock { $0.deliverer = nil }
  }

  @usableFromInline borrowing func offerDelivery() -> Bool {
    state.withLock { state in
      guard state.candidates > 0 else { return false }
      state.isOffered = true
      state.deliverer = nil
      seeksSuccessor.store(false, ordering: .relaxed)
      return true
    }
  }

  /// Waits to take over the delivery, and returns `true` if the caller now owns it.
  ///
  /// The caller's event is already in the queue.
  @usableFromInline borrowing func waitToTakeOver() -> Bool {
    guard seeksSuccessor.load(ordering: .relaxed) else { return false }
    let isCandidate = state.withLock { state in
      // An event that is sent from inside the delivery cannot wait for it.
      guard let deliverer = state.deliverer, pthread_equal(deliverer, pthread_self()) == 0 else {
        return false
      }
      state.candidates += 1
      hasCandidates.store(true, ordering: .relaxed)
      return true
    }
    if !isCandidate { return false }
    usleep(Self.pause)
    return state.withLock { state in
      state.candidates -= 1
      hasCandidates.store(state.candidates > 0, ordering: .relaxed)
      return exchange(&state.isOffered, with: false)
    }
  }
}
