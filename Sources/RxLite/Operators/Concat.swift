extension ObservableType {
  /// Sends the elements of another sequence after this one has completed.
  @inlinable public func concat<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Element> where Source.Element == Element {
    Observable<Element>.concat([asObservable(), second.asObservable()])
  }

  /// Sends the elements of sequences one after the other; an error ends the result at once.
  ///
  /// Nested `concat`s do not grow the stack. Memory does not grow either if each nested `concat` is the last
  /// in its collection, as in an endless recursion.
  ///
  /// - Parameter sequence: the sequences. Each is subscribed to after the previous one has completed and has
  ///   been disposed.
  /// - Returns: the elements of all.
  @inlinable public static func concat<Sequences: Sequence>(
    _ sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    SequentialObservable.sequence(sequence, continuingAfter: .completion)
  }

  /// Sends the elements of sequences one after the other; an error ends the result at once.
  @inlinable public static func concat<Sequences: Collection>(
    _ collection: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    SequentialObservable.collection(collection, continuingAfter: .completion)
  }

  /// Sends the elements of sequences one after the other; an error ends the result at once.
  @inlinable public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    SequentialObservable.collection(sources, continuingAfter: .completion)
  }

  /// Sends the elements of the sequences that this sequence sends, one sequence after the other.
  @inlinable public func concat() -> Observable<Element.Element> where Element: ObservableConvertibleType {
    mergeLimited(1) { $0 }
  }
}
