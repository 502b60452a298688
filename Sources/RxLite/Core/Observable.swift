/// A sequence of events over time, the centre of the Rx contract.
///
/// An observable is cold unless it says otherwise: nothing happens until somebody subscribes, and every
/// subscription runs it anew. Events come one after the other, `next* (error | completed)?`, and none comes after the
/// subscription is disposed.
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

  /// Starts the sequence for one observer; what it returns is disposed by whoever consumes the stop event.
  @usableFromInline let source: Source

  @inlinable init(source: @escaping Source) {
    self.source = source
  }

  /// Whether a subscription from outside of the trampoline runs inside one.
  ///
  /// It need not where nothing is set up that could queue work: what hands its events straight to an observer, as a subject does,
  /// leaves it to the next subscription, so that one made inside the observer is done when it returns.
  @usableFromInline var opensTrampoline: Bool { true }

  /// Runs `body`, which subscribes, inside the trampoline where that is needed.
  @inlinable func subscribing(_ body: () -> Void) {
    if opensTrampoline { Trampoline.run(body) } else { body() }
  }

  /// Subscribes an observer.
  ///
  /// - Parameter observer: receives the events.
  /// - Returns: the subscription.
  @inlinable public func subscribe<Observer: ObserverType>(
    _ observer: Observer
  ) -> any Disposable where Observer.Element == Element {
    let target = AnyObserver(observer)
    let gate = Gate()
    gate.open(self) { event in
      switch event {
      case .next: if gate.isOpen { target.on(event) }
      case .error, .completed: gate.close { target.on(event) }
      }
    }
    return gate
  }

  /// The sequence itself.
  @inlinable public func asObservable() -> Observable<Element> {
    self
  }
}

/// A sequence that hands its events straight to each observer.
@usableFromInline final class DirectObservable<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable as every sequence is.
  @usableFromInline override var opensTrampoline: Bool { false }
}

// A sequence is immutable; what its closures capture is used by one subscription at a time unless the user shares it.
// Not conditional on the element: a conditional conformance makes the Swift 6 compiler (6.3) fail to infer the element of
// `Observable.merge(a, b)` and `Observable.concat(a, b)`, which have instance methods of the same name.
extension Observable: @unchecked Sendable {}
