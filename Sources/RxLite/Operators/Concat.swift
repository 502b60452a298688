extension ObservableType {
  /// Sends another sequence after this one has ended.
  @inlinable public func concat<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Element> where Source.Element == Element {
    Observable<Element>.concat([asObservable(), second.asObservable()])
  }

  /// Sends sequences one after the other; an error ends it at once.
  ///
  /// - Parameter sequence: the sequences; each is subscribed when the one before has ended.
  /// - Returns: all their elements.
  @inlinable public static func concat<Sequences: Sequence>(
    _ sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    Observable { observer in
      var remaining = sequence.makeIterator()
      let relay = Relay<Element>(observer) { ended in
        if case .error = ended { return .end(ended) }
        return remaining.next().map { .follow($0) } ?? .end(.completed)
      }
      relay.start()
      return relay
    }
  }

  /// Sends sequences one after the other; an error ends it at once.
  @inlinable public static func concat<Sequences: Collection>(
    _ collection: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    concat(AnySequence(collection))
  }

  /// Sends sequences one after the other; an error ends it at once.
  @inlinable public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(AnySequence(sources))
  }
}
