extension ObservableType {
  /// Keeps the elements that satisfy a predicate.
  ///
  /// - Parameter predicate: tells which to keep; what it throws ends the sequence with that error.
  /// - Returns: the filtered sequence.
  @inlinable public func filter(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let end = EndMark()
      return source(AnyObserver { end.pass($0, to: observer) { try predicate($0) ? .some($0) : nil } })
    }
  }
}
