public import Synchronization

extension ObservableType {
  /// Transforms an element into a sequence and ignores further elements until that sequence has completed.
  ///
  /// A subject delivers an element that is sent from inside its delivery afterwards. So if the observer sends
  /// an element to the source, it is ignored only if the inner sequence has not completed at once.
  ///
  /// - Parameter selector: returns the inner sequence; not called for ignored elements. An error that it
  ///   throws ends the sequence.
  /// - Returns: the elements of the inner sequences. It completes when the source and the last inner sequence
  ///   have completed.
  @preconcurrency @inlinable public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeInnerSequences { mergeState in
      { element in
        // The source itself counts as one running sequence.
        guard mergeState.running.load(ordering: .acquiring) == 1 else { return }
        mergeState.subscribe(try selector(element).asObservable())
      }
    }
  }
}
