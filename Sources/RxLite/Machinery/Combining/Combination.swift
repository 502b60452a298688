public import ReactiveNetworkLock

/// Combines the elements of several sources; decides under a lock, transforms and delivers outside it.
///
/// It emits when the buffer of every source holds an element. A buffer of `combineLatest` keeps its latest
/// element; a buffer of `zip` consumes its elements in order.
@usableFromInline final class Combination<Output> {
  @usableFromInline typealias State = CombinationState

  @usableFromInline let machine: OperatorStateMachine<State, Output>
  @usableFromInline let buffers: [AnySourceBuffer]
  // Makes the output from the buffers. Called under the lock, and only if no buffer is empty.
  @usableFromInline let take: (inout State) -> Output
  // Whether the combination completes when its only running source sends an element that can no longer be
  // combined.
  @usableFromInline let endsEarly: Bool

  @inlinable init<Element>(
    _ buffers: [AnySourceBuffer], endsEarly: Bool, _ observer: AnyObserver<Element>,
    take: @escaping (inout State) -> Output, transform: @escaping (Output) throws -> Element
  ) {
    let sink = MapSink(observer, transform)
    let exit = observer.calling { sink.on($0) }
    machine = OperatorStateMachine(State(sources: buffers.count), exit)
    self.buffers = buffers
    self.take = take
    self.endsEarly = endsEarly
  }

  /// Subscribes to a source and puts its elements into its buffer; the subscription ends with the source.
  ///
  /// If `endsLast` is `true`, a stop event that ends the combination is delivered before its source is
  /// disposed.
  @inlinable func subscribe<Element>(
    to source: Observable<Element>, into buffer: SourceBuffer<Element>, endsLast: Bool = false
  ) -> any Disposable {
    buffer.assign(
      source.source(
        machine.observer.calling { event in
          if event.isStopEvent, !endsLast { buffer.disposeContent() }
          switch event {
          case .next(let element): self.receive(element, into: buffer)
          case .error(let error): self.machine.decide { $1.append(.error(error)) }
          case .completed: self.complete(buffer)
          }
          if event.isStopEvent, endsLast { buffer.disposeContent() }
        }))
    return buffer
  }

  @inlinable func receive<Element>(_ element: Element, into buffer: SourceBuffer<Element>) {
    // Returned, so that the replaced element is released outside the lock.
    machine.decide { state, output -> Element? in
      if buffer.isEmpty {
        if state.remainingResults == 0 {
          if endsEarly, state.runningSources == 1 { output.append(.completed) }
          return nil
        }
        state.emptyBuffers -= 1
      }
      let former = buffer.put(element, limit: state.remainingResults)
      if state.emptyBuffers == 0 {
        if !buffer.keepsLatest { state.remainingResults -= 1 }
        output.append(.next(take(&state)))
      }
      return former
    }
  }

  @inlinable func complete<Element>(_ buffer: SourceBuffer<Element>) {
    // Returned, so that the elements without a partner are released outside the lock.
    machine.decide { state, output -> [Any] in
      state.runningSources -= 1
      if state.runningSources == 0 { output.append(.completed) }
      let count = buffer.count
      guard count == 0 || !buffer.keepsLatest, count < state.remainingResults else { return [] }
      state.remainingResults = count
      return buffers.map { $0.removeElements(after: count) }
    }
  }
}

/// The state that all buffers of a combination share.
@usableFromInline struct CombinationState {
  /// The number of empty buffers.
  @usableFromInline var emptyBuffers: Int
  /// The number of sources that have not ended.
  @usableFromInline var runningSources: Int
  // The maximum number of further results: a source that has ended adds no more elements to its buffer. No
  // buffer holds more elements than this.
  @usableFromInline var remainingResults = Int.max

  @inlinable init(sources: Int) {
    emptyBuffers = sources
    runningSources = sources
  }
}
