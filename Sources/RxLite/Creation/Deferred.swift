extension ObservableType {
  /// Creates a new sequence for each subscription.
  ///
  /// - Parameter observableFactory: returns the sequence. An error that it throws ends the sequence.
  /// - Returns: the sequence.
  @preconcurrency @inlinable public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
  ) -> Observable<Element> {
    DeferredObservable(observableFactory)
  }

  /// `deferred` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) package static func deferring(
    _ observableFactory: @escaping () throws -> Observable<Element>
  ) -> Observable<Element> {
    DeferredObservable(observableFactory)
  }
}

/// A sequence that is created for each subscription.
///
/// It is a separate class, so that a `SequentialObservable` can inspect the created sequence.
@usableFromInline final class DeferredObservable<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable, like every sequence.
  @usableFromInline let factory: () throws -> Observable<Element>

  @inlinable init(_ factory: @escaping () throws -> Observable<Element>) {
    self.factory = factory
    super.init { observer in
      do {
        return try factory().subscribeTail(observer)
      } catch {
        observer.on(.error(error))
        return Disposables.create()
      }
    }
  }

  @inlinable func make() -> Observable<Element> {
    do { return try factory() } catch { return .error(error) }
  }
}
