public import Synchronization

/// Follows one inner sequence at a time and drops the events of outdated ones.
///
/// The assigned content is the outer subscription.
///
/// `Sendable` as the base class; what it adds is atomic, constant, or used only in the serializer's turn.
@usableFromInline
final class SwitchState<Element>: SerializedOutput<Element>, MessageRecipient, @unchecked Sendable {
  @usableFromInline enum Message {
    case outer(Event<Element>)
    case inner(Int, Event<Element>)
    /// The only element of the inner sequence with that number, which has completed.
    case sole(Int, Element)
  }

  // Used only in the serializer's turn.
  @usableFromInline var isOuterCompleted = false
  // The number of the latest inner sequence, negated if that has completed.
  @usableFromInline let current = Atomic(0)
  @usableFromInline let inner = SerialInnerSubscription()
  // The counter of the outer sequence, and not that sequence, which may keep this object.
  @usableFromInline let counter: ElementCounter?

  @inlinable init(_ observer: AnyObserver<Element>, counter: ElementCounter?) {
    self.counter = counter
    super.init(observer)
  }

  @inlinable func switchTo(_ source: Observable<Element>) {
    if hasEnded { return }
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

  /// Ends an inner sequence if a newer element waits in the outer one; returns `true` if it did.
  @inlinable func endIfOutdated(_ subscription: InnerObserver) -> Bool {
    guard let counter, counter.count != subscription.acceptedCount else { return false }
    let number = subscription.number
    _ = current.compareExchange(expected: number, desired: -number, ordering: .acquiringAndReleasing)
    subscription.disposeContent()
    return true
  }

  @inlinable func receive(_ message: Message) {
    if hasEnded { return }
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

  @usableFromInline override func dispose() {
    super.dispose()
    inner.dispose()
  }

  /// An inner sequence, identified by its number.
  @usableFromInline final class InnerObserver: InnerSubscription {
    @usableFromInline let number: Int
    @usableFromInline let switchState: SwitchState
    /// The count of the outer sequence's elements when this one began.
    @usableFromInline let acceptedCount: Int

    @inlinable init(_ number: Int, of switchState: SwitchState) {
      self.number = number
      self.switchState = switchState
      acceptedCount = switchState.counter?.count ?? 0
    }

    @inlinable func on(_ event: Event<Element>) {
      if switchState.endIfOutdated(self) { return }
      if event.isStopEvent { disposeContent() }
      switchState.send(.inner(number, event))
    }
  }
}
