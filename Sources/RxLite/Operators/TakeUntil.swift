public import Synchronization

extension ObservableType {
  /// Forwards elements until another sequence sends an element.
  ///
  /// The other sequence is subscribed to first. Its first element completes this one, its error is forwarded,
  /// and its completion is ignored.
  ///
  /// - Parameter other: the sequence that ends this one.
  /// - Returns: the shortened sequence.
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let source = asObservable().source
    let trigger = other.asObservable().source
    return Observable { observer in
      let state = TakeUntilState(observer)
      state.assign(
        trigger(
          observer.calling { event in
            switch event {
            case .next: state.send(.completed)
            case .error(let error): state.send(.error(error))
            case .completed: state.disposeContent()
            }
          }))
      state.upstream = source(observer.calling { state.send($0) })
      return state
    }
  }

  /// Forwards elements until one satisfies a predicate, then completes.
  ///
  /// - Parameters:
  ///   - predicate: returns `true` to complete. An error that it throws ends the sequence.
  ///   - behavior: whether the element that satisfies the predicate is sent.
  /// - Returns: the shortened sequence.
  @preconcurrency @inlinable public func take(
    until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    take(while: { try !predicate($0) }, behavior: behavior)
  }
}

/// The output of a sequence that another one may end.
///
/// The assigned content is the subscription to the other sequence. `@unchecked Sendable` repeats the base
/// class's; the reasons for other properties are beside them.
@usableFromInline
final class TakeUntilState<Element>: SingleAssignmentBase, MessageRecipient, Disposable, @unchecked Sendable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  // This and `hasEnded` are used only in the serializer's turn.
  @usableFromInline nonisolated(unsafe) let observer: AnyObserver<Element>
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var hasEnded = false
  @usableFromInline let serializer = DeliverySerializer()
  // Set before this object can be disposed, then used by the thread that disposes it first.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var upstream: any Disposable = NopDisposable()
  @usableFromInline let isDisposed = Atomic(false)

  @inlinable init(_ observer: AnyObserver<Element>) {
    self.observer = observer
  }

  @inlinable func send(_ event: Event<Element>) {
    serializer.send(event, to: self)
  }

  @inlinable func receive(_ event: Event<Element>) {
    if hasEnded { return }
    hasEnded = event.isStopEvent
    observer.on(event)
  }

  @usableFromInline func dispose() {
    guard !isDisposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var upstream: any Disposable = NopDisposable()
    swap(&self.upstream, &upstream)
    upstream.dispose()
    disposeContent()
  }
}
