extension ObservableType {
  /// Transforms each element.
  ///
  /// - Parameter transform: returns the new element. An error that it throws ends the sequence.
  /// - Returns: the transformed sequence.
  @preconcurrency @inlinable public func map<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Observable<Result> {
    mapping(transform)
  }

  /// `map` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) package func mapping<Result>(
    _ transform: @escaping (Element) throws -> Result
  ) -> Observable<Result> {
    let source = asObservable().source
    return Observable { observer in
      let sink = MapSink(observer, transform)
      return source(observer.calling { sink.on($0) })
    }
  }
}

/// The state of a subscription of `map`, in one object.
@usableFromInline final class MapSink<Element, Result>: Sink<Result> {
  @usableFromInline let transform: (Element) throws -> Result

  @inlinable init(_ observer: AnyObserver<Result>, _ transform: @escaping (Element) throws -> Result) {
    self.transform = transform
    super.init(observer)
  }

  @inlinable @inline(__always) func on(_ event: Event<Element>) {
    forward(event) { .some(try transform($0)) }
  }
}
