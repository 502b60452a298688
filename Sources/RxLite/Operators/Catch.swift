extension ObservableType {
  /// Continues with another sequence if this one fails.
  ///
  /// - Parameter handler: returns the other sequence. An error that it throws replaces the original one. The
  ///   other sequence is subscribed to before this one is disposed.
  /// - Returns: the sequence.
  @preconcurrency @inlinable public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    asObservable().followed { event in
      if case .error(let error) = event { try handler(error) } else { nil }
    }
  }

  /// Continues with the next sequence whenever one fails; ends when one completes, or with the last error.
  ///
  /// - Parameter sequence: the sequences. Each is subscribed to after the previous one has failed and has
  ///   been disposed. An empty list completes at once.
  /// - Returns: the sequence.
  @inlinable public static func `catch`<Sequences: Sequence>(
    sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    SequentialObservable.sequence(sequence, continuingAfter: .failure)
  }

  /// Continues with the next sequence whenever one fails; ends when one completes, or with the last error.
  @inlinable public static func `catch`<Sequences: Collection>(
    sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    SequentialObservable.collection(sequence, continuingAfter: .failure)
  }
}
