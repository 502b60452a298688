public import Synchronization

extension ObservableType {
  /// Makes a sequence of an element and ignores further elements until that has ended.
  ///
  /// - Parameter selector: makes the inner sequence; not called for ignored elements. What it throws ends the sequence with
  ///   that error.
  /// - Returns: the elements of the inner sequences: it ends when the source and the last inner one have ended.
  @inlinable public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flowTogether { confluence in
      { element in
        // One is the source itself.
        guard confluence.running.load(ordering: .acquiring) == 1 else { return }
        confluence.subscribe(try selector(element).asObservable())
      }
    }
  }
}
