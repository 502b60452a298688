/// A receiver of the events of a sequence.
public protocol ObserverType {
  /// The type of the elements received.
  associatedtype Element

  /// Receives an event.
  ///
  /// A sequence delivers one event at a time and never two concurrently.
  func on(_ event: Event<Element>)
}

extension ObserverType {
  /// Sends `.next(element)`.
  @inlinable public func onNext(_ element: Element) {
    on(.next(element))
  }

  /// Sends `.completed`.
  @inlinable public func onCompleted() {
    on(.completed)
  }

  /// Sends `.error(error)`.
  @inlinable public func onError(_ error: any Error) {
    on(.error(error))
  }

  /// Returns the observer with its type erased.
  @preconcurrency @inlinable public func asObserver() -> AnyObserver<Element> where Self: Sendable {
    AnyObserver(self)
  }

  /// Returns an observer that transforms each element and forwards the result to this observer.
  ///
  /// - Parameter transform: returns the result. An error that it throws is forwarded as an `error` event.
  /// - Returns: the observer.
  @preconcurrency @inlinable public func mapObserver<Result>(
    _ transform: @escaping @Sendable (Result) throws -> Element
  ) -> AnyObserver<Result> where Self: Sendable {
    AnyObserver(self).calling { self.on($0.map(transform)) }
  }
}
