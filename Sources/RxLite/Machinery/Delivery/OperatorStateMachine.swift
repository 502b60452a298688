public import ReactiveNetworkLock

/// Holds the state of an operator that several threads drive, and delivers the events that its decisions
/// emit.
///
/// Decisions are made under the lock. The events that they emit are delivered outside the lock, one at a time
/// and in the order of the decisions: on the deciding thread or, if another thread is delivering, on that
/// one. A thread that has delivered many events of other threads hands the delivery over to the next thread
/// whose decision emits (`DeliveryHandover`). Nothing is delivered after a stop event.
///
/// The decisions of a `SerializedCombiner` wait for the delivery; those of an `OperatorStateMachine` do not.
/// A thread whose decision emits nothing never delivers the events of other threads. So an event that a timer
/// releases arrives on the timer's thread, unless another thread is delivering.
@usableFromInline final class OperatorStateMachine<State, Element> {
  /// The events that a decision emits.
  @usableFromInline struct Output {
    // A decision usually emits one event, which needs no array.
    @usableFromInline var first: Event<Element>?
    @usableFromInline var others: [Event<Element>] = []
    @usableFromInline var isDelivering = false
    @usableFromInline var hasEmitted = false

    @inlinable init() {}

    @inlinable mutating func emit(_ event: Event<Element>) {
      hasEmitted = true
      if first == nil { first = event } else { others.append(event) }
    }

    /// Returns the first event and moves the others to `others`.
    ///
    /// If there is no event, the delivery ends.
    @inlinable mutating func take(_ others: inout [Event<Element>]) -> Event<Element>? {
      isDelivering = first != nil
      if !self.others.isEmpty { swap(&self.others, &others) }
      return first.take()
    }
  }

  @usableFromInline struct Protected {
    @usableFromInline var state: State
    @usableFromInline var output = Output()

    @inlinable init(state: State) {
      self.state = state
    }
  }

  @usableFromInline let protected: Lock<Protected>
  @usableFromInline let observer: AnyObserver<Element>
  // Used by the delivering thread, which drops the events after a stop event outside the lock.
  @exclusivity(unchecked) @usableFromInline var hasEnded = false
  // In reverse order, so that `popLast()` removes each event, which is released after its delivery. Used by
  // the delivering thread.
  @exclusivity(unchecked) @usableFromInline var taken: [Event<Element>] = []
  @usableFromInline let handover = DeliveryHandover()

  @inlinable init(_ state: State, _ observer: AnyObserver<Element>) {
    protected = Lock(Protected(state: state))
    self.observer = observer
  }

  /// Runs a decision, then delivers the events that this thread has to deliver.
  ///
  /// `decide` runs under the lock. It must not release elements, because a deinitializer may run any code; it
  /// returns them instead.
  @discardableResult
  @inlinable func decide<Result>(_ decide: (inout State, inout Output) -> Result) -> Result {
    let (result, event, waits) = protected.withLock { protected in
      protected.output.hasEmitted = false
      let result = decide(&protected.state, &protected.output)
      if protected.output.isDelivering { return (result, Event<Element>?.none, protected.output.hasEmitted) }
      return (result, protected.output.take(&taken), false)
    }
    if let event {
      if !taken.isEmpty { taken.reverse() }
      deliver(event)
      deliverBacklog()
    } else if waits, handover.waitToTakeOver() {
      deliverBacklog()
    }
    return result
  }

  /// Delivers the pending events.
  ///
  /// Called by the thread that owns the delivery.
  @inlinable func deliverBacklog() {
    var remaining = DeliveryHandover.eventsPerTurn
    _ = handover.drain(remaining: &remaining, next: { next(&$0) }, deliver: { deliver($0) })
  }

  @inlinable func next(_ remaining: inout Int) -> Event<Element>? {
    if let event = taken.popLast() { return event }
    // Frees the memory of a large burst.
    if taken.capacity > 1_024 { taken = [] }
    if remaining == 0 { handover.stopSeekingSuccessor() }
    guard let event = protected.withLock({ $0.output.take(&taken) }) else { return nil }
    taken.reverse()
    handover.seekSuccessorIfBehind(pending: taken.count, remaining: &remaining)
    return event
  }

  @inlinable func deliver(_ event: Event<Element>) {
    if hasEnded { return }
    hasEnded = event.isStopEvent
    observer.on(event)
  }
}
