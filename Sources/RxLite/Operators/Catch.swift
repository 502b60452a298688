extension ObservableType {
  /// Continues with another sequence when this one fails.
  ///
  /// - Parameter handler: makes it of the error; what it throws is the new error. The sequence it makes is subscribed before
  ///   this one is disposed.
  /// - Returns: the sequence.
  @inlinable public func `catch`(
    _ handler: @escaping (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    asObservable().continued { event in
      if case .error(let error) = event { try handler(error) } else { nil }
    }
  }

  /// Ends with a given element when this fails.
  @inlinable public func catchAndReturn(_ element: Element) -> Observable<Element> {
    `catch` { _ in .just(element) }
  }

  /// Continues with the next sequence each time one fails; ends as soon as one ends well, or with the last error.
  ///
  /// - Parameter sequence: the sequences, each subscribed when the one before has failed and was disposed; an empty list ends at once.
  /// - Returns: the sequence.
  @inlinable public static func `catch`<Sequences: Sequence>(
    sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    Chain.sequence(sequence, by: .failure)
  }

  /// Continues with the next sequence each time one fails; ends as soon as one ends well, or with the last error.
  @inlinable public static func `catch`<Sequences: Collection>(
    sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    Chain.collection(sequence, by: .failure)
  }
}
