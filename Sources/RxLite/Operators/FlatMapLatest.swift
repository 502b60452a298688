public import Synchronization

extension ObservableType {
  /// Transforms each element into a sequence and follows only the latest; the previous one is disposed first.
  ///
  /// Use it to let a newer event cancel an older request. For each element, `selector` is called, then the
  /// old inner sequence is disposed, then the new one is subscribed to. Completes when the source and the
  /// latest inner sequence have completed; any error ends it at once.
  ///
  /// After that, nothing of the old inner sequence is delivered, with one exception: if another thread is
  /// delivering one of its events at that moment, that event still reaches the observer. It comes before all
  /// events of the new sequence, and no event of the old one follows it. Waiting for that thread would block
  /// the source for as long as the observer takes.
  ///
  /// - Parameter selector: returns the inner sequence. An error that it throws ends the sequence.
  /// - Returns: the elements of the latest inner sequence.
  @preconcurrency @inlinable public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMappingLatest(selector)
  }

  /// `flatMapLatest` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) func flatMappingLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    let source = asObservable().source
    return Observable { observer in
      let switchState = SwitchState(observer)
      switchState.assign(
        source(
          AnyObserver.calling { event in
            switch event {
            case .next(let element):
              guard switchState.takesElements else { return }
              do {
                switchState.follow(try selector(element).asObservable())
              } catch {
                switchState.hasThrown = true
                switchState.send(.outer(.error(error)))
              }
            case .error(let error): switchState.send(.outer(.error(error)))
            case .completed:
              switchState.disposeContent()
              switchState.send(.outer(.completed))
            }
          }))
      return switchState
    }
  }

  /// Follows the latest of the sequences that this sequence sends.
  @inlinable public func switchLatest() -> Observable<Element.Element>
  where Element: ObservableConvertibleType {
    flatMappingLatest { $0 }
  }
}

/// Follows one inner sequence at a time and drops the events of outdated ones.
///
/// The assigned content is the outer subscription.
@usableFromInline
final class SwitchState<Element>: SingleAssignmentBase, Disposable, Recipient, @unchecked Sendable {
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
  @usableFromInline let serializer = Serializer()
  @usableFromInline let isStopped = Atomic(false)
  // Used by the outer sequence only, which may continue to send while the error is queued.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var hasThrown = false
  // The number of the latest inner sequence, negated if that has completed.
  @usableFromInline let current = Atomic(0)
  @usableFromInline let inner = SerialInnerSubscription()

  @inlinable init(_ observer: AnyObserver<Element>) {
    self.observer = observer
  }

  /// Whether an element of the outer sequence is still needed.
  @inlinable var takesElements: Bool { !hasThrown && !isStopped.load(ordering: .relaxed) }

  @inlinable func follow(_ source: Observable<Element>) {
    if isStopped.load(ordering: .relaxed) { return }
    let number = abs(current.load(ordering: .relaxed)) + 1
    if let element = source.soleElement {
      current.store(-number, ordering: .releasing)
      inner.replace(with: nil)
      return send(.sole(number, element))
    }
    current.store(number, ordering: .releasing)
    let subscription = Inner(number, of: self)
    inner.replace(with: subscription)
    source.subscribing { subscription.assign(source.source(AnyObserver.calling { subscription.on($0) })) }
  }

  @inlinable func send(_ message: Message) {
    serializer.send(message, to: self)
  }

  @inlinable func receive(_ message: Message) {
    if isStopped.load(ordering: .relaxed) { return }
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
    isStopped.store(true, ordering: .relaxed)
    observer.on(event)
  }

  @usableFromInline func dispose() {
    isStopped.store(true, ordering: .relaxed)
    disposeContent()
    inner.dispose()
  }

  /// An inner sequence, identified by its number.
  ///
  /// `@unchecked Sendable` because it adds only constants.
  @usableFromInline final class Inner: InnerSubscription, @unchecked Sendable {
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
