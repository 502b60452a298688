extension ObservableType {
  /// Combines the first elements of any number of sequences, then the second ones, and so on.
  ///
  /// Elements wait, without limit, for the elements of the other sequences. The result completes when all
  /// sequences have completed, or when the only running one sends an element that can no longer be combined.
  /// (In the latter case the forms for 2 to 8 sequences do not complete, as in RxSwift.) Any error ends it at
  /// once.
  ///
  /// - Parameters:
  ///   - collection: the sequences, subscribed to in order; an empty collection completes at once.
  ///   - resultSelector: returns the result; called on the sending thread. An error that it throws ends the
  ///     sequence.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public static func zip<Sources: Collection>(
    _ collection: Sources,
    resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    guard !collection.isEmpty else { return .empty() }
    return combine(keepingLatest: false, collection, resultSelector)
  }

  /// Combines the first elements of any number of sequences into an array, then the second ones, and so on.
  @inlinable public static func zip<Sources: Collection>(
    _ collection: Sources
  ) -> Observable<[Element]> where Sources.Element: ObservableType, Sources.Element.Element == Element {
    .zip(collection) { $0 }
  }

  /// Combines the first elements of 2 sequences, then the second ones, and so on.
  ///
  /// Elements wait, without limit, for the elements of the other sequences; elements that can never be
  /// combined are dropped. The result completes when all sequences have completed; any error ends it at once.
  /// The same applies to the forms for 3 to 8 sequences.
  ///
  /// - Parameters:
  ///   - source1: the first sequence, subscribed to first.
  ///   - source2: the second sequence.
  ///   - resultSelector: returns the result; called on the sending thread. An error that it throws ends the
  ///     sequence.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public static func zip<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2,
    resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
  ) -> Observable<Element> {
    combine(keepingLatest: false, source1, source2, resultSelector)
  }

  /// Combines the first elements of 3 sequences, then the second ones, and so on.
  @preconcurrency @inlinable
  public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
    _ source1: O1, _ source2: O2, _ source3: O3,
    resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
  ) -> Observable<Element> {
    combine(keepingLatest: false, source1, source2, source3, resultSelector)
  }

  /// Combines the first elements of any number of sequences, then the second ones, and so on.
  ///
  /// The compiler uses it for 4 sequences or more, where an element costs more than with 2 or 3 of them.
  @inlinable
  @preconcurrency
  public static func zip<each Source: ObservableType>(
    _ source: repeat each Source,
    resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> {
    combineAll(keepingLatest: false, repeat each source, resultSelector: resultSelector)
  }
}

extension ObservableType where Element == Any {
  /// Combines the first elements of 2 sequences into a tuple, then the second ones, and so on.
  @inlinable public static func zip<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2
  ) -> Observable<(O1.Element, O2.Element)> {
    .combine(keepingLatest: false, source1, source2) { ($0, $1) }
  }

  /// Combines the first elements of 3 sequences into a tuple, then the second ones, and so on.
  @inlinable public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
    _ source1: O1, _ source2: O2, _ source3: O3
  ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
    .combine(keepingLatest: false, source1, source2, source3) { ($0, $1, $2) }
  }

  /// Combines the first elements of any number of sequences into a tuple, then the second ones, and so on.
  @inlinable public static func zip<each Source: ObservableType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    .combineAll(keepingLatest: false, repeat each source) { (element: repeat (each Source).Element) in
      (repeat each element)
    }
  }
}
