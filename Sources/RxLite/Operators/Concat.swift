extension ObservableType {
  /// Sends another sequence after this one has ended.
  @inlinable public func concat<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Element> where Source.Element == Element {
    Observable<Element>.concat([asObservable(), second.asObservable()])
  }

  /// Sends sequences one after the other; an error ends it at once.
  ///
  /// A part may itself be a `concat`, and so on: the stack does not grow. Memory does not grow either where each comes last in a
  /// collection, as in a recursion without end.
  ///
  /// - Parameter sequence: the sequences; each is subscribed when the one before has ended and was disposed.
  /// - Returns: all their elements.
  @inlinable public static func concat<Sequences: Sequence>(
    _ sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    Chain.sequence(sequence, by: .completion)
  }

  /// Sends sequences one after the other; an error ends it at once.
  @inlinable public static func concat<Sequences: Collection>(
    _ collection: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    Chain.collection(collection, by: .completion)
  }

  /// Sends sequences one after the other; an error ends it at once.
  @inlinable public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    Chain.collection(sources, by: .completion)
  }
}
