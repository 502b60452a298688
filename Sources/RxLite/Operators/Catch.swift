extension ObservableType {
  /// Continues with another sequence when this one fails.
  ///
  /// - Parameter handler: makes it of the error; what it throws is the new error.
  /// - Returns: the sequence.
  @inlinable public func `catch`(
    _ handler: @escaping (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { observer in
      var hasFailed = false
      let relay = Relay<Element>(observer) { ended in
        guard !hasFailed, case .error(let error) = ended else { return .end(ended) }
        hasFailed = true
        do {
          return .follow(try handler(error))
        } catch {
          return .end(.error(error))
        }
      }
      relay.take(.follow(source))
      return relay
    }
  }

  /// Ends with a given element when this fails.
  @inlinable public func catchAndReturn(_ element: Element) -> Observable<Element> {
    `catch` { _ in .just(element) }
  }

  /// Continues with the next sequence each time one fails; ends as soon as one ends well, or with the last error.
  ///
  /// - Parameter sequence: the sequences; an empty list ends at once.
  /// - Returns: the sequence.
  @inlinable public static func `catch`<Sequences: Sequence>(
    sequence: Sequences
  ) -> Observable<Element> where Sequences.Element == Observable<Element> {
    Observable { observer in
      var remaining = sequence.makeIterator()
      let relay = Relay<Element>(observer) { ended in
        guard case .error = ended else { return .end(ended) }
        return remaining.next().map { .follow($0) } ?? .end(ended)
      }
      relay.take(remaining.next().map { .follow($0) } ?? .end(.completed))
      return relay
    }
  }
}
