/// A sequence of events over time, the central type of Rx.
///
/// An observable is cold unless its documentation says otherwise: nothing happens until an observer
/// subscribes, and every subscription runs it anew. Events arrive one at a time, in the order
/// `next* (error | completed)?`, and none arrives after the subscription is disposed.
///
/// ```swift
/// let bag = DisposeBag()
/// Observable.of(1, 2, 3)
///   .map { $0 * 2 }
///   .subscribe(onNext: { print($0) })
///   .disposed(by: bag)
/// ```
public class Observable<Element>: ObservableType {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  @usableFromInline typealias Source = (AnyObserver<Element>) -> any Disposable

  /// Starts the sequence for one observer.
  ///
  /// The consumer of the stop event disposes the returned disposable. Operators keep this closure and not the
  /// sequence, so a subject overrides it with a closure that keeps the subject alive.
  @usableFromInline var source: Source { start }

  @usableFromInline let start: Source

  /// Whether a subscription opens the trampoline if it is not active on the thread.
  ///
  /// `false` for sequences whose subscription cannot queue work: a subject, for example, forwards its events
  /// straight to the observer. A subscription that this observer makes then opens the trampoline itself, so
  /// its queued work has run when it returns.
  @usableFromInline let needsTrampoline: Bool

  /// Counts the elements that may have to wait for their delivery; `nil` for all but subjects that send elements.
  @usableFromInline var counter: ElementCounter? { nil }

  @inlinable init(needsTrampoline: Bool = true, source: @escaping Source) {
    start = source
    self.needsTrampoline = needsTrampoline
  }

  /// Runs `body`, which subscribes, inside the trampoline if that is needed.
  @inlinable func runInTrampolineIfNeeded(_ body: () -> Void) {
    if needsTrampoline { Trampoline.run(body) } else { body() }
  }

  /// Subscribes an observer.
  ///
  /// - Parameter observer: receives the events.
  /// - Returns: the subscription.
  @inlinable public func subscribe<Observer: ObserverType>(
    _ observer: Observer
  ) -> any Disposable where Observer.Element == Element {
    let target = AnyObserver(erasing: observer)
    let gate = SubscriptionGate()
    gate.open(self, within: target.context) { event in
      switch event {
      case .next: if gate.isOpen { target.on(event) }
      case .error, .completed: gate.close { target.on(event) }
      }
    }
    return gate
  }

  /// Returns the sequence itself.
  @inlinable public func asObservable() -> Observable<Element> {
    self
  }
}

// A sequence is immutable; the captures of its closures are used by one subscription at a time unless the
// user shares them. The conformance does not depend on the element, because a conditional one makes the Swift
// 6 compiler (6.3) fail to infer the element of `Observable.merge(a, b)` and `Observable.concat(a, b)`, which
// have instance methods of the same name.
extension Observable: @unchecked Sendable {}
