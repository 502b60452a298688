extension ObservableType {
  /// Merges the sequences that this sequence sends.
  @inlinable public func merge() -> Observable<Element.Element> where Element: ObservableConvertibleType {
    flatMapping { $0 }
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
  ///   sequence fails during its subscription, the others are still subscribed to and then disposed at once.
  @inlinable public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
    Observable { observer in
      let mergeState = MergeState(observer)
      for source in sources { mergeState.subscribe(source, evenIfStopped: true) }
      mergeState.completeOne()
      return mergeState
    }
  }

  /// Merges sequences; all are subscribed to at once.
  @inlinable public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}
