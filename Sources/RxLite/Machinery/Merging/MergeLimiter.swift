public import ReactiveNetworkLock
public import Synchronization

extension ObservableType {
  /// Maps elements to inner sequences and merges them, a limited number at a time.
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
@usableFromInline final class MergeLimiter<Element>: MessageRecipient, Sendable {
  @usableFromInline struct State {
    @usableFromInline var waiting = Queue<Observable<Element>>()
    @usableFromInline var vacancies: Int

    @inlinable init(vacancies: Int) {
      self.vacancies = vacancies
    }
  }

  @usableFromInline let state: Lock<State>
  @usableFromInline let starts = DeliverySerializer()
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
    mergeState.subscribeCounted(source) { self.startNext() }
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
