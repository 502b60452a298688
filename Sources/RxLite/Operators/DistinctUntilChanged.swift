extension ObservableType {
  /// Leaves out elements equal to the one before.
  @inlinable public func distinctUntilChanged() -> Observable<Element> where Element: Equatable {
    distinctUntilChanged({ $0 }, comparer: ==)
  }

  /// Leaves out elements whose key equals the one before.
  ///
  /// - Parameter keySelector: makes the key; what it throws ends the sequence with that error.
  /// - Returns: the sequence of changes.
  @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) throws -> Key
  ) -> Observable<Element> {
    distinctUntilChanged(keySelector, comparer: ==)
  }

  /// Leaves out elements that compare equal to the one before.
  ///
  /// - Parameter comparer: tells whether two elements are equal; what it throws ends the sequence with that error.
  /// - Returns: the sequence of changes.
  @inlinable public func distinctUntilChanged(
    _ comparer: @escaping (Element, Element) throws -> Bool
  ) -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// Leaves out elements whose property equals the one before.
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property>
  ) -> Observable<Element> {
    distinctUntilChanged { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
  }

  /// Leaves out elements whose key compares equal to the one before.
  ///
  /// - Parameters:
  ///   - keySelector: makes the key; what it throws ends the sequence with that error.
  ///   - comparer: tells whether two keys are equal; what it throws ends the sequence with that error.
  /// - Returns: the sequence of changes.
  @inlinable public func distinctUntilChanged<K>(
    _ keySelector: @escaping (Element) throws -> K, comparer: @escaping (K, K) throws -> Bool
  ) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      let last = Box<K?>(nil)
      return source(
        AnyObserver { event in
          sink.pass(event) { element in
            let key = try keySelector(element)
            if let last = last.value, try comparer(last, key) { return nil }
            last.value = key
            return element
          }
        })
    }
  }
}
