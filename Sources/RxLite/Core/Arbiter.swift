public import Locking

/// Decides for an operator that several threads drive, and delivers what was decided.
///
/// Decisions are made under the lock. The events they emit leave outside of it, one after the other and in
/// the order of the decisions: on the thread that decided or, while another one is delivering, on that one.
/// After a stop event nothing leaves.
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

    @inlinable init() {}

    @inlinable mutating func emit(_ event: Event<Element>) {
      if first == nil { first = event } else { others.append(event) }
    }

    @inlinable mutating func take() -> (first: Event<Element>, others: [Event<Element>])? {
      guard let first else {
        isDelivering = false
        return nil
      }
      isDelivering = true
      defer {
        self.first = nil
        if !others.isEmpty { others = [] }
      }
      return (first, others)
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
    var (result, events) = protected.withLock { protected in
      let result = decide(&protected.state, &protected.output)
      return (result, protected.output.isDelivering ? nil : protected.output.take())
    }
    while let (first, others) = events {
      deliver(first)
      for event in others { deliver(event) }
      events = protected.withLock { $0.output.take() }
    }
    return result
  }

  @inlinable func deliver(_ event: Event<Element>) {
    if isStopped { return }
    isStopped = event.isStopEvent
    observer.on(event)
  }
}
