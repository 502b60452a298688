extension ObservableType {
  /// Merges the sequences that this sequence sends.
  @inlinable public func merge() -> Observable<Element.Element> where Element: ObservableConvertibleType {
    flatMapping { $0 }
  }

  /// Merges the sequences that this sequence sends, a limited number at a time; the others are queued without
  /// limit.
  ///
  /// - Parameter maxConcurrent: the maximum number of sequences that are subscribed to at a time; if it is 0
  ///   or less, no sequence is subscribed to.
  /// - Returns: the merged sequence. It ends when the source and all inner sequences have completed, or with
  ///   the first error; if no inner sequence is subscribed to, it ends with the source.
  @inlinable public func merge(maxConcurrent: Int) -> Observable<Element.Element>
  where Element: ObservableConvertibleType {
    mergeLimited(maxConcurrent) { $0 }
  }

  /// Merges sequences; all are subscribed to at once.
  @inlinable public static func merge<Sources: Collection>(
    _ sources: Sources
  ) -> Observable<Element> where Sources.Element == Observable<Element> {
    merge(Array(sources))
  }

  /// Merges sequences; all are subscribed to at once.
  ///
  /// - Parameter sources: the sequences; an empty list completes at once.
  /// - Returns: the merged sequence, which ends when all have completed or with the first error. If a
  ///   sequence fails during its subscription, those after it are not subscribed to.
  @inlinable public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
    Observable { observer in
      let mergeState = MergeState(observer)
      for source in sources { mergeState.subscribe(source) }
      mergeState.completeOne()
      return mergeState
    }
  }

  /// Merges sequences; all are subscribed to at once.
  @inlinable public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}
