public import Synchronization

extension ObservableType {
  /// Maps elements to inner sequences and merges them.
  ///
  /// `makeReceiver` is called for each subscription. The closure that it returns receives the elements; an
  /// error that this closure throws ends the sequence. A source that has completed is disposed at once. But
  /// if `endsLast` is `true` and no inner sequence is running, the source is disposed after its completion
  /// has been delivered.
  @inlinable func mergeInnerSequences<Result>(
    endsLast: Bool = false,
    _ makeReceiver: @escaping (MergeState<Result>) -> (Element) throws -> Void
  ) -> Observable<Result> {
    let source = asObservable().source
    return Observable { observer in
      let mergeState = MergeState(observer)
      let receive = makeReceiver(mergeState)
      mergeState.assign(
        source(
          observer.calling { event in
            switch event {
            case .next(let element):
              guard mergeState.acceptsElements else { return }
              do {
                try receive(element)
              } catch {
                mergeState.endSource(.error(error))
              }
            case .error(let error): mergeState.endSource(.error(error))
            case .completed:
              let isLast = endsLast && mergeState.running.load(ordering: .acquiring) == 1
              if !isLast { mergeState.disposeContent() }
              mergeState.completeOne()
            }
          }))
      return mergeState
    }
  }
}

/// Merges sequences: counts the running ones and delivers their events one at a time.
///
/// The assigned content is the outer subscription.
///
/// `Sendable` as the base class; what it adds is atomic or behind a lock.
@usableFromInline
final class MergeState<Element>: SerializedOutput<Element>, MessageRecipient, @unchecked Sendable {
  // The number of running sequences, including the outer one.
  @usableFromInline let running = Atomic(1)
  @usableFromInline let inner = InnerSubscriptions()

  @inlinable override init(_ observer: AnyObserver<Element>) {
    super.init(observer)
  }

  /// Counts a sequence and subscribes to it.
  @inlinable func subscribe(_ source: Observable<Element>) {
    if let element = source.soleElement { return send(.next(element)) }
    running.wrappingAdd(1, ordering: .relaxed)
    subscribeCounted(source)
  }

  /// Subscribes to a sequence that is already counted; `whenCompleted` runs before its completion is counted.
  @inlinable func subscribeCounted(_ source: Observable<Element>, whenCompleted: (() -> Void)? = nil) {
    if hasEnded { return }
    let subscription = InnerObserver(of: self, whenCompleted: whenCompleted)
    inner.insert(subscription)
    source.runInTrampolineIfNeeded {
      subscription.assign(source.source(observer.calling { subscription.on($0) }))
    }
  }

  @inlinable func completeOne() {
    if running.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { send(.completed) }
  }

  @usableFromInline override func dispose() {
    super.dispose()
    inner.dispose()
  }

  /// An inner sequence.
  @usableFromInline final class InnerObserver: InnerSubscription {
    @usableFromInline let mergeState: MergeState
    // Called once, by the sequence that completes.
    @usableFromInline let whenCompleted: (() -> Void)?

    @inlinable init(of mergeState: MergeState, whenCompleted: (() -> Void)?) {
      self.mergeState = mergeState
      self.whenCompleted = whenCompleted
    }

    @inlinable func on(_ event: Event<Element>) {
      switch event {
      case .next: mergeState.send(event)
      case .error:
        mergeState.send(event)
        // The error may be queued, and the thread that would deliver it may still run the sequence.
        mergeState.inner.remove(self)
      case .completed:
        guard mergeState.inner.remove(self) else { return }
        whenCompleted?()
        mergeState.completeOne()
      }
    }
  }
}
