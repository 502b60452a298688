extension ObservableType {
  /// Merges sequences of sequences.
  @inlinable public func merge() -> Observable<Element.Element> where Element: ObservableConvertibleType {
    flatMap { $0 }
  }

  /// Merges sequences; all are subscribed at once.
  @inlinable public static func merge<Sources: Collection>(
    _ sources: Sources
  ) -> Observable<Element> where Sources.Element == Observable<Element> {
    merge(Array(sources))
  }

  /// Merges sequences; all are subscribed at once.
  ///
  /// - Parameter sources: the sequences; an empty list ends at once.
  /// - Returns: the merged sequence: it ends when all have ended, or with the first error. Where one fails while it is being
  ///   subscribed, the others are subscribed nevertheless, and disposed at once.
  @inlinable public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
    Observable { observer in
      let confluence = Confluence(observer)
      for source in sources { confluence.subscribe(source, evenIfStopped: true) }
      confluence.completeOne()
      return confluence
    }
  }

  /// Merges sequences; all are subscribed at once.
  @inlinable public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}
