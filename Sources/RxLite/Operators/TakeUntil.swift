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
            case .completed: break
            }
            if event.isStopEvent { state.disposeContent() }
          }))
      state.assignUpstream(
        source(
          observer.calling { event in
            state.send(event)
            // The stop event may be queued, and the thread that would deliver it may still run the source.
            if event.isStopEvent { state.disposeUpstream() }
          }))
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
  // Owned as the content of a `SingleAssignmentBase` is; another object would take an allocation.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var upstream: any Disposable = NopDisposable()
  @usableFromInline let upstreamFlags = Atomic(Flags.RawValue())

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

  @inlinable @inline(__always) func assignUpstream(_ disposable: consuming any Disposable) {
    upstream = disposable
    if mark(.assigned) == .ended { takeUpstream().dispose() }
  }

  @usableFromInline func disposeUpstream() {
    if mark(.ended) == .assigned { takeUpstream().dispose() }
  }

  /// Sets a flag of the upstream subscription, and returns those that were set before.
  @inlinable func mark(_ flag: Flags) -> Flags {
    Flags(rawValue: upstreamFlags.bitwiseOr(flag.rawValue, ordering: .acquiringAndReleasing).oldValue)
  }

  @usableFromInline func takeUpstream() -> any Disposable {
    var upstream: any Disposable = NopDisposable()
    swap(&self.upstream, &upstream)
    return upstream
  }

  @usableFromInline func dispose() {
    disposeUpstream()
    disposeContent()
  }
}
