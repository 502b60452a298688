public import Locking

/// Decides for an operator that several threads drive, and delivers what was decided.
///
/// Decisions are made under the lock. The events they emit leave outside of it, one after the other and in
/// the order of the decisions: on the thread that decided or, while another one is delivering, on that one. A thread that delivers
/// for others for long hands over to the next one whose decision emits (`Handover`). After a stop event nothing leaves.
///
/// Unlike a `Junction`, whose decisions wait for the delivery, a thread that only adds to the state never
/// takes over the delivery of another: what a timer lets through arrives on the timer's thread.
@usableFromInline final class Arbiter<State, Element> {
  /// What a decision emits.
  @usableFromInline struct Output {
    // Mostly one event leaves at a time: it needs no array.
    @usableFromInline var first: Event<Element>?
    @usableFromInline var others: [Event<Element>] = []
    @usableFromInline var isDelivering = false
    @usableFromInline var hasEmitted = false

    @inlinable init() {}

    @inlinable mutating func emit(_ event: Event<Element>) {
      hasEmitted = true
      if first == nil { first = event } else { others.append(event) }
    }

    /// Takes all events, the first of them as the result; without any the delivery ends.
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
  // Used by whoever delivers: what comes behind a stop event is let go of there, outside of the lock.
  @exclusivity(unchecked) @usableFromInline var isStopped = false
  // The oldest is the last one, so that each is released once it is delivered. Used by the delivering thread.
  @exclusivity(unchecked) @usableFromInline var departing: [Event<Element>] = []
  @usableFromInline let handover = Handover()

  @inlinable init(_ state: State, _ observer: AnyObserver<Element>) {
    protected = Lock(Protected(state: state))
    self.observer = observer
  }

  /// Decides, then delivers what is to be delivered by this thread.
  ///
  /// `decide` runs under the lock: it must not let go of elements, whose end may run anything. It returns
  /// them.
  @discardableResult
  @inlinable func decide<Result>(_ decide: (inout State, inout Output) -> Result) -> Result {
    let (result, event, waits) = protected.withLock { protected in
      protected.output.hasEmitted = false
      let result = decide(&protected.state, &protected.output)
      if protected.output.isDelivering { return (result, Event<Element>?.none, protected.output.hasEmitted) }
      return (result, protected.output.take(&departing), false)
    }
    if let event {
      if !departing.isEmpty { departing.reverse() }
      deliver(event)
      deliverOthers()
    } else if waits, handover.takesOver() {
      deliverOthers()
    }
    return result
  }

  /// Delivers what waits, for the thread whose turn it is.
  @inlinable func deliverOthers() {
    var share = Handover.share
    while let event = next(&share) {
      deliver(event)
      if handover.endsTurn(after: &share) { return }
    }
  }

  @inlinable func next(_ share: inout Int) -> Event<Element>? {
    if let event = departing.popLast() { return event }
    // After a burst the memory is given back.
    if departing.capacity > 1_024 { departing = [] }
    if share == 0 { handover.withdraw() }
    guard let event = protected.withLock({ $0.output.take(&departing) }) else { return nil }
    departing.reverse()
    handover.noteBacklog(of: departing.count, share: &share)
    return event
  }

  @inlinable func deliver(_ event: Event<Element>) {
    if isStopped { return }
    isStopped = event.isStopEvent
    observer.on(event)
  }
}
