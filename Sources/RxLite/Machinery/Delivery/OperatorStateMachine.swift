public import ReactiveNetworkLock
public import Synchronization

/// Holds the state of an operator that several threads drive, and delivers the events that its decisions
/// emit.
///
/// Decisions are made under the lock. The events that they emit are delivered outside the lock, one at a time
/// and in the order of the decisions: on the deciding thread or, if another thread is delivering, on that
/// one. A thread that has delivered many events of other threads hands the delivery over to the next thread
/// whose decision emits (`DeliveryHandover`). Nothing is delivered after a stop event or the disposal.
///
/// What a `SerializedOutput` decides waits for the delivery; these decisions do not.
/// A thread whose decision emits nothing never delivers the events of other threads. So an event that a timer
/// releases arrives on the timer's thread, unless another thread is delivering.
///
/// `Sendable` because the observer and `hasEnded` are used by the delivering thread only, one at a time.
@usableFromInline final class OperatorStateMachine<State, Element>: Disposable, @unchecked Sendable {
  /// The events that decisions emit.
  @usableFromInline typealias Output = Outbox<Event<Element>>

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
  @usableFromInline let isDisposed = Atomic(false)
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
    let (result, event, waits): (Result, Event<Element>?, Bool) = protected.withLock { protected in
      let waiting = protected.output.isDelivering ? protected.output.count : .max
      let result = decide(&protected.state, &protected.output)
      guard let event = protected.output.start() else {
        return (result, nil, protected.output.count > waiting)
      }
      return (result, event, false)
    }
    if let event {
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
    handover.drain(
      protected,
      next: { protected in
        guard let event = protected.output.next() else { return (nil, 0) }
        return (event, protected.output.count)
      }, deliver: { deliver($0) })
  }

  /// Drops the events that have not been delivered yet.
  @usableFromInline func dispose() { isDisposed.store(true, ordering: .relaxed) }

  @inlinable func deliver(_ event: Event<Element>) {
    if hasEnded || isDisposed.load(ordering: .relaxed) { return }
    hasEnded = event.isStopEvent
    observer.on(event)
  }
}
