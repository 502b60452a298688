public import Synchronization

/// Follows one inner sequence at a time and drops the events of outdated ones.
///
/// The assigned content is the outer subscription. `@unchecked Sendable` repeats the base class's; the
/// reasons for other properties are beside them.
@usableFromInline
final class SwitchState<Element>: SingleAssignmentBase, Disposable, MessageRecipient, @unchecked Sendable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  @usableFromInline enum Message {
    case outer(Event<Element>)
    case inner(Int, Event<Element>)
    /// The only element of the inner sequence with that number, which has completed.
    case sole(Int, Element)
  }

  // This and `isOuterCompleted` are used only in the serializer's turn.
  @usableFromInline nonisolated(unsafe) let observer: AnyObserver<Element>
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var isOuterCompleted = false
  @usableFromInline let serializer = DeliverySerializer()
  @usableFromInline let hasEnded = Atomic(false)
  // Used by the outer sequence only, which may continue to send while the error is queued.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var hasThrown = false
  // The number of the latest inner sequence, negated if that has completed.
  @usableFromInline let current = Atomic(0)
  @usableFromInline let inner = SerialInnerSubscription()

  @inlinable init(_ observer: AnyObserver<Element>) {
    self.observer = observer
  }

  /// Whether an element of the outer sequence is still needed.
  @inlinable var acceptsElements: Bool { !hasThrown && !hasEnded.load(ordering: .relaxed) }

  @inlinable func switchTo(_ source: Observable<Element>) {
    if hasEnded.load(ordering: .relaxed) { return }
    let number = abs(current.load(ordering: .relaxed)) + 1
    if let element = source.soleElement {
      current.store(-number, ordering: .releasing)
      inner.replace(with: nil)
      return send(.sole(number, element))
    }
    current.store(number, ordering: .releasing)
    let subscription = InnerObserver(number, of: self)
    inner.replace(with: subscription)
    source.runInTrampolineIfNeeded {
      subscription.assign(source.source(observer.calling { subscription.on($0) }))
    }
  }

  @inlinable func send(_ message: Message) {
    serializer.send(message, to: self)
  }

  /// Sends the error of the outer sequence and disposes that sequence.
  ///
  /// The error may be queued, and the thread that would deliver it may still run the sequence.
  @inlinable func endOuter(with error: any Error) {
    send(.outer(.error(error)))
    disposeContent()
  }

  @inlinable func receive(_ message: Message) {
    if hasEnded.load(ordering: .relaxed) { return }
    switch message {
    case .outer(.completed):
      isOuterCompleted = true
      if current.load(ordering: .acquiring) <= 0 { stop(.completed) }
    case .outer(let event): stop(event)
    case .inner(let number, let event): deliver(event, of: number)
    case .sole(let number, let element):
      if current.load(ordering: .acquiring) == -number { observer.on(.next(element)) }
    }
  }

  @inlinable func deliver(_ event: Event<Element>, of number: Int) {
    switch event {
    case .next:
      if current.load(ordering: .acquiring) == number { observer.on(event) }
    case .error:
      if current.load(ordering: .acquiring) == number { stop(event) }
    case .completed:
      let isLatest = current.compareExchange(
        expected: number, desired: -number, ordering: .acquiringAndReleasing
      ).exchanged
      if isLatest, isOuterCompleted { stop(.completed) }
    }
  }

  @inlinable func stop(_ event: Event<Element>) {
    hasEnded.store(true, ordering: .relaxed)
    observer.on(event)
  }

  @usableFromInline func dispose() {
    hasEnded.store(true, ordering: .relaxed)
    disposeContent()
    inner.dispose()
  }

  /// An inner sequence, identified by its number.
  ///
  /// `@unchecked Sendable` because it adds only constants.
  @usableFromInline final class InnerObserver: InnerSubscription, @unchecked Sendable {
    @usableFromInline let number: Int
    @usableFromInline let switchState: SwitchState

    @inlinable init(_ number: Int, of switchState: SwitchState) {
      self.number = number
      self.switchState = switchState
    }

    @inlinable func on(_ event: Event<Element>) {
      if event.isStopEvent { disposeContent() }
      switchState.send(.inner(number, event))
    }
  }
}
