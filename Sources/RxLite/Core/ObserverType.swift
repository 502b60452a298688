/// Receives the events of a sequence.
public protocol ObserverType {
  /// The type of the elements received.
  associatedtype Element

  /// Receives an event; a sequence calls it for one event after the other, never for two at once.
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

  /// The observer with its type erased.
  @inlinable public func asObserver() -> AnyObserver<Element> {
    AnyObserver(self)
  }

  /// An observer of another type that transforms each element before it hands it on.
  ///
  /// - Parameter transform: makes the element; what it throws is handed on as an error.
  /// - Returns: the observer.
  @inlinable public func mapObserver<Result>(
    _ transform: @escaping (Result) throws -> Element
  ) -> AnyObserver<Result> {
    AnyObserver { self.on($0.map(transform)) }
  }
}
