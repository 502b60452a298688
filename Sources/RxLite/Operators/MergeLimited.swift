public import ReactiveNetworkLock
public import Synchronization

extension ObservableType {
  /// Merges the sequences that this sequence sends, a limited number at a time; the others are queued without
  /// limit.
  ///
  /// - Parameter maxConcurrent: the maximum number of sequences that are subscribed to at a time; if it is 0
  ///   or less, no sequence is subscribed to.
  /// - Returns: the merged sequence. It ends when the source and all inner sequences have completed, or with
  ///   the first error; if no inner sequence is subscribed to, it ends with the source.
  @inlinable public func merge(maxConcurrent: Int) -> Observable<Element.Element>
  where Element: ObservableConvertibleType {
    mergeLimited(maxConcurrent) { $0 }
  }

  /// Transforms each element into a sequence and merges them, a limited number at a time; the others are
  /// queued without limit.
  ///
  /// The selector is called as elements arrive. Its sequence is subscribed to as soon as the limit allows.
  ///
  /// - Parameters:
  ///   - maxConcurrent: the maximum number of sequences that are subscribed to at a time; if it is 0 or less,
  ///     no sequence is subscribed to.
  ///   - selector: returns the inner sequence. An error that it throws ends the sequence.
  /// - Returns: the merged sequence. It ends when the source and all inner sequences have completed, or with
  ///   the first error; if no inner sequence is subscribed to, it ends with the source.
  @preconcurrency @inlinable public func flatMap<Source: ObservableConvertibleType>(
    maxConcurrent: Int, _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeLimited(maxConcurrent, selector)
  }

  /// Transforms each element into a sequence, and concatenates these sequences.
  ///
  /// The selector is called as elements arrive. Its sequence is subscribed to after the previous one has
  /// completed.
  ///
  /// - Parameter selector: returns the inner sequence. An error that it throws ends the sequence.
  /// - Returns: the elements of the inner sequences, in the order of the source's elements.
  @preconcurrency @inlinable public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeLimited(1, selector)
  }

  /// Sends the elements of the sequences that this sequence sends, one sequence after the other.
  @inlinable public func concat() -> Observable<Element.Element> where Element: ObservableConvertibleType {
    mergeLimited(1) { $0 }
  }

  @inlinable func mergeLimited<Source: ObservableConvertibleType>(
    _ maxConcurrent: Int, _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeInnerSequences(endsLast: true) { mergeState in
      guard maxConcurrent > 0 else { return { _ = try selector($0) } }
      let limiter = MergeLimiter(to: mergeState, maxConcurrent)
      return { limiter.add(try selector($0).asObservable()) }
    }
  }
}

/// Limits the number of sequences that are merged at a time.
///
/// Sequences are started in a loop and never inside each other, so that a long queue of sequences that
/// complete at once does not grow the stack.
@usableFromInline final class MergeLimiter<Element>: Recipient, Sendable {
  @usableFromInline struct State {
    @usableFromInline var waiting = Queue<Observable<Element>>()
    @usableFromInline var vacancies: Int

    @inlinable init(vacancies: Int) {
      self.vacancies = vacancies
    }
  }

  @usableFromInline let state: Lock<State>
  @usableFromInline let starts = Serializer()
  @usableFromInline let mergeState: MergeState<Element>

  @inlinable init(to mergeState: MergeState<Element>, _ maxConcurrent: Int) {
    self.mergeState = mergeState
    state = Lock(State(vacancies: maxConcurrent))
  }

  @inlinable func add(_ source: Observable<Element>) {
    // Counted on arrival, so that the completion waits for queued sequences.
    mergeState.running.wrappingAdd(1, ordering: .relaxed)
    let isAdmitted = state.withLock { state in
      guard state.vacancies > 0 else {
        state.waiting.append(source)
        return false
      }
      state.vacancies -= 1
      return true
    }
    if isAdmitted { start(source) }
  }

  @inlinable func start(_ source: Observable<Element>) {
    starts.send(source, to: self)
  }

  @inlinable func receive(_ source: Observable<Element>) {
    mergeState.follow(source) { self.startNext() }
  }

  @inlinable func startNext() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.vacancies += 1 }
      return next
    }
    if let next { start(next) }
  }
}
