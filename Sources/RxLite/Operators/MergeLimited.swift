public import Locking
public import Synchronization

extension ObservableType {
  /// Merges sequences of sequences, so many at a time; the others wait for their turn, without limit to their number.
  ///
  /// - Parameter maxConcurrent: how many are subscribed at a time; where it is not positive, none is.
  /// - Returns: the merged sequence: it ends when the source and all inner ones have ended, or with the first error; with the
  ///   source alone where no inner one is subscribed.
  @inlinable public func merge(maxConcurrent: Int) -> Observable<Element.Element>
  where Element: ObservableConvertibleType {
    mergeLimited(maxConcurrent) { $0 }
  }

  /// Makes a sequence of each element and merges them, so many at a time; the others wait, without limit to their number.
  ///
  /// The selector is called as elements arrive; the sequence it makes is subscribed when there is room for it.
  ///
  /// - Parameters:
  ///   - maxConcurrent: how many are subscribed at a time; where it is not positive, none is.
  ///   - selector: makes the inner sequence; what it throws ends the sequence with that error.
  /// - Returns: the merged sequence: it ends when the source and all inner ones have ended, or with the first error; with the
  ///   source alone where no inner one is subscribed.
  @inlinable public func flatMap<Source: ObservableConvertibleType>(
    maxConcurrent: Int, _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeLimited(maxConcurrent, selector)
  }

  /// Makes a sequence of each element and sends them one after the other.
  ///
  /// The selector is called as elements arrive; the sequence it makes is subscribed when the one before has ended.
  ///
  /// - Parameter selector: makes the inner sequence; what it throws ends the sequence with that error.
  /// - Returns: the elements of the inner sequences, in the order of the elements they were made of.
  @inlinable public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeLimited(1, selector)
  }

  /// Sends the sequences of a sequence one after the other.
  @inlinable public func concat() -> Observable<Element.Element> where Element: ObservableConvertibleType {
    mergeLimited(1) { $0 }
  }

  @inlinable func mergeLimited<Source: ObservableConvertibleType>(
    _ maxConcurrent: Int, _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flowTogether(endsLast: true) { confluence in
      guard maxConcurrent > 0 else { return { _ = try selector($0) } }
      let admission = Admission(to: confluence, maxConcurrent)
      return { admission.add(try selector($0).asObservable()) }
    }
  }
}

/// Lets so many sequences at a time into a confluence.
///
/// They are started in a loop, never inside each other, so a long queue of sequences that end at once needs no deep stack.
@usableFromInline final class Admission<Element>: Recipient, Sendable {
  @usableFromInline struct State {
    @usableFromInline var waiting = Queue<Observable<Element>>()
    @usableFromInline var vacancies: Int

    @inlinable init(vacancies: Int) {
      self.vacancies = vacancies
    }
  }

  @usableFromInline let state: Lock<State>
  @usableFromInline let starts = Serializer()
  @usableFromInline let confluence: Confluence<Element>

  @inlinable init(to confluence: Confluence<Element>, _ maxConcurrent: Int) {
    self.confluence = confluence
    state = Lock(State(vacancies: maxConcurrent))
  }

  @inlinable func add(_ source: Observable<Element>) {
    // Counted on arrival: the end waits for those that wait.
    confluence.running.wrappingAdd(1, ordering: .relaxed)
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
    confluence.follow(source) { self.startNext() }
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
