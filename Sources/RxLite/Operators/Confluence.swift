public import Synchronization

extension ObservableType {
  /// Makes sequences of the elements and lets them flow together.
  ///
  /// `makeReceiver` is called for each subscription; what it returns receives the elements, and what that throws ends the sequence.
  @inlinable func flowTogether<Result>(
    _ makeReceiver: @escaping (Confluence<Result>) -> (Element) throws -> Void
  ) -> Observable<Result> {
    let source = asObservable().source
    return Observable { observer in
      let confluence = Confluence(observer)
      let receive = makeReceiver(confluence)
      confluence.outer.setDisposable(
        source(
          AnyObserver { event in
            switch event {
            case .next(let element):
              do { try receive(element) } catch { confluence.send(.error(error)) }
            case .error(let error): confluence.send(.error(error))
            case .completed:
              confluence.outer.dispose()
              confluence.completeOne()
            }
          }))
      return confluence
    }
  }
}

/// Where sequences flow together: counts those that still run and delivers their events one after the other.
@usableFromInline final class Confluence<Element>: Disposable, Recipient {
  // Called only in the serializer's turn.
  @usableFromInline nonisolated(unsafe) let observer: AnyObserver<Element>
  @usableFromInline let serializer = Serializer<Event<Element>>()
  @usableFromInline let isStopped = Atomic(false)
  // The outer sequence counts as one.
  @usableFromInline let running = Atomic(1)
  @usableFromInline let outer = SingleAssignmentDisposable()
  @usableFromInline let inner = CompositeDisposable()

  @inlinable init(_ observer: AnyObserver<Element>) {
    self.observer = observer
  }

  /// Counts a sequence in and subscribes to it.
  @inlinable func subscribe(_ source: Observable<Element>) {
    running.wrappingAdd(1, ordering: .relaxed)
    follow(source) {}
  }

  /// Subscribes to a sequence that is counted already; `whenCompleted` runs before its end is counted.
  @inlinable func follow(_ source: Observable<Element>, whenCompleted: @escaping () -> Void) {
    if isStopped.load(ordering: .relaxed) { return }
    let subscription = SingleAssignmentDisposable()
    let key = inner.insert(subscription)
    Trampoline.run {
      subscription.setDisposable(
        source.source(
          AnyObserver { event in
            guard case .completed = event else { return self.send(event) }
            if let key { self.inner.remove(for: key) }
            whenCompleted()
            self.completeOne()
          }))
    }
  }

  @inlinable func send(_ event: Event<Element>) {
    serializer.send(event, to: self)
  }

  @inlinable func receive(_ event: Event<Element>) {
    if isStopped.load(ordering: .relaxed) { return }
    if event.isStopEvent { isStopped.store(true, ordering: .relaxed) }
    observer.on(event)
  }

  @inlinable func completeOne() {
    if running.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { send(.completed) }
  }

  @usableFromInline func dispose() {
    isStopped.store(true, ordering: .relaxed)
    outer.dispose()
    inner.dispose()
  }
}
