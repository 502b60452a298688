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
  @usableFromInline typealias Source = (AnyObserver<Element>) -> any Disposable

  /// Starts the sequence for one observer; what it returns is disposed by whoever consumes the stop event.
  @usableFromInline let source: Source

  @inlinable init(source: @escaping Source) {
    self.source = source
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

// A sequence is immutable; what its closures capture is used by one subscription at a time unless the user shares it.
// Not conditional on the element: a conditional conformance makes the Swift 6 compiler (6.3) fail to infer the element of
// `Observable.merge(a, b)` and `Observable.concat(a, b)`, which have instance methods of the same name.
extension Observable: @unchecked Sendable {}
