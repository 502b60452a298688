extension ObservableType {
  /// Drops elements that equal the previous one.
  @inlinable public func distinctUntilChanged() -> Observable<Element> where Element: Equatable {
    changes(of: { $0 }, comparer: ==)
  }

  /// Drops elements whose key equals the key of the previous one.
  ///
  /// - Parameter keySelector: returns the key. An error that it throws ends the sequence.
  /// - Returns: the sequence of changes.
  @preconcurrency @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Element> {
    changes(of: keySelector, comparer: ==)
  }

  /// Drops elements that compare equal to the last forwarded one.
  ///
  /// - Parameter comparer: returns whether two elements are equal. An error that it throws ends the sequence.
  /// - Returns: the sequence of changes.
  @preconcurrency @inlinable public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
  ) -> Observable<Element> {
    changes(of: { $0 }, comparer: comparer)
  }

  /// Drops elements whose property equals the property of the previous one.
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property>
  ) -> Observable<Element> {
    changes(of: { $0 }, comparer: { $0[keyPath: keyPath] == $1[keyPath: keyPath] })
  }

  /// Drops elements whose key compares equal to the key of the last forwarded one.
  ///
  /// - Parameters:
  ///   - keySelector: returns the key. An error that it throws ends the sequence.
  ///   - comparer: returns whether two keys are equal. An error that it throws ends the sequence.
  /// - Returns: the sequence of changes.
  @preconcurrency @inlinable public func distinctUntilChanged<K>(
    _ keySelector: @escaping @Sendable (Element) throws -> K,
    comparer: @escaping @Sendable (K, K) throws -> Bool
  ) -> Observable<Element> {
    changes(of: keySelector, comparer: comparer)
  }

  /// `distinctUntilChanged` with closures of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) func changes<K>(
    of keySelector: @escaping (Element) throws -> K, comparer: @escaping (K, K) throws -> Bool
  ) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      let last = Box<K?>(nil)
      return source(
        observer.calling { event in
          sink.forward(event) { element in
            let key = try keySelector(element)
            if let last = last.value, try comparer(last, key) { return nil }
            last.value = key
            return element
          }
        })
    }
  }
}
