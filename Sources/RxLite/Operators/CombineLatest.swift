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

  /// Combines the latest elements of 4 sequences whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
    resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element) throws -> Element
  ) -> Observable<Element> {
    combine(keepingLatest: true, source1, source2, source3, source4, resultSelector)
  }

  /// Combines the latest elements of 5 sequences whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5,
    resultSelector:
      @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element) throws -> Element
  ) -> Observable<Element> {
    combine(keepingLatest: true, source1, source2, source3, source4, source5, resultSelector)
  }

  /// Combines the latest elements of 6 sequences whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6,
    resultSelector:
      @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element) throws ->
      Element
  ) -> Observable<Element> {
    combine(keepingLatest: true, source1, source2, source3, source4, source5, source6, resultSelector)
  }

  /// Combines the latest elements of 7 sequences whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType, O7: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
    resultSelector:
      @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)
      throws ->
      Element
  ) -> Observable<Element> {
    combine(
      keepingLatest: true, source1, source2, source3, source4, source5, source6, source7, resultSelector)
  }

  /// Combines the latest elements of 8 sequences whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType, O7: ObservableType, O8: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
    _ source8: O8,
    resultSelector:
      @escaping @Sendable (
        O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element
      ) throws -> Element
  ) -> Observable<Element> {
    combine(
      keepingLatest: true, source1, source2, source3, source4, source5, source6, source7, source8,
      resultSelector)
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

  /// Combines the latest elements of 4 sequences into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element)> {
    .combine(keepingLatest: true, source1, source2, source3, source4) { ($0, $1, $2, $3) }
  }

  /// Combines the latest elements of 5 sequences into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element)> {
    .combine(keepingLatest: true, source1, source2, source3, source4, source5) { ($0, $1, $2, $3, $4) }
  }

  /// Combines the latest elements of 6 sequences into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element)> {
    .combine(keepingLatest: true, source1, source2, source3, source4, source5, source6) {
      ($0, $1, $2, $3, $4, $5)
    }
  }

  /// Combines the latest elements of 7 sequences into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType, O7: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)> {
    .combine(keepingLatest: true, source1, source2, source3, source4, source5, source6, source7) {
      ($0, $1, $2, $3, $4, $5, $6)
    }
  }

  /// Combines the latest elements of 8 sequences into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType, O7: ObservableType, O8: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
    _ source8: O8
  ) -> Observable<
    (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element)
  > {
    .combine(keepingLatest: true, source1, source2, source3, source4, source5, source6, source7, source8) {
      ($0, $1, $2, $3, $4, $5, $6, $7)
    }
  }
}
