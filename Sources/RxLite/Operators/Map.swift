extension ObservableType {
  /// Transforms each element.
  ///
  /// - Parameter transform: makes the new element; what it throws ends the sequence with that error.
  /// - Returns: the transformed sequence.
  @inlinable public func map<Result>(
    _ transform: @escaping (Element) throws -> Result
  ) -> Observable<Result> {
    let source = asObservable().source
    return Observable { observer in
      let end = EndMark()
      return source(AnyObserver { end.pass($0, to: observer) { .some(try transform($0)) } })
    }
  }
}
