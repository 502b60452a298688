extension ObservableType {
  /// Combines the latest elements of any number of sequences whenever one of them sends an element.
  ///
  /// The first result is sent when each sequence has sent an element. The result completes when all sequences
  /// have completed, or when the only running one sends an element and another one has completed without
  /// elements. Any error ends it.
  ///
  /// - Parameters:
  ///   - collection: the sequences, subscribed to in order. If it is empty, the result for an empty array is
  ///     sent, followed by completion.
  ///   - resultSelector: returns the result; called on the sending thread. An error that it throws ends the
  ///     sequence.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public static func combineLatest<Sources: Collection>(
    _ collection: Sources,
    resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    guard !collection.isEmpty else { return .deferred { .just(try resultSelector([])) } }
    return combine(keepingLatest: true, collection, resultSelector)
  }

  /// Combines the latest elements of any number of sequences into arrays.
  @inlinable public static func combineLatest<Sources: Collection>(
    _ collection: Sources
  ) -> Observable<[Element]> where Sources.Element: ObservableType, Sources.Element.Element == Element {
    .combineLatest(collection) { $0 }
  }

  /// Combines the latest elements of 2 sequences whenever one of them sends an element.
  @preconcurrency @inlinable public static func combineLatest<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2,
    resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
  ) -> Observable<Element> {
    combine(keepingLatest: true, source1, source2, resultSelector)
  }

  /// Combines the latest elements of 3 sequences whenever one of them sends an element.
  @preconcurrency @inlinable
  public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
    _ source1: O1, _ source2: O2, _ source3: O3,
    resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
  ) -> Observable<Element> {
    combine(keepingLatest: true, source1, source2, source3, resultSelector)
  }

  /// Combines the latest elements of any number of sequences whenever one of them sends an element.
  ///
  /// The compiler uses it for 4 sequences or more, where an element costs more than with 2 or 3 of them.
  @inlinable
  @preconcurrency
  public static func combineLatest<each Source: ObservableType>(
    _ source: repeat each Source,
    resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> {
    combineAll(keepingLatest: true, repeat each source, resultSelector: resultSelector)
  }
}

extension ObservableType where Element == Any {
  /// Combines the latest elements of 2 sequences into tuples whenever one of them sends an element.
  @inlinable public static func combineLatest<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2
  ) -> Observable<(O1.Element, O2.Element)> {
    .combine(keepingLatest: true, source1, source2) { ($0, $1) }
  }

  /// Combines the latest elements of 3 sequences into tuples whenever one of them sends an element.
  @inlinable public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
    _ source1: O1, _ source2: O2, _ source3: O3
  ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
    .combine(keepingLatest: true, source1, source2, source3) { ($0, $1, $2) }
  }

  /// Combines the latest elements of any number of sequences into tuples whenever one of them sends an element.
  @inlinable public static func combineLatest<each Source: ObservableType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    .combineAll(keepingLatest: true, repeat each source) { (element: repeat (each Source).Element) in
      (repeat each element)
    }
  }
}
