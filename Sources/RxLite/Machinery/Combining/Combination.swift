/// Combines the elements of several sources; decides under a lock, transforms and delivers outside it.
///
/// It emits when the slot of every source holds an element. A slot of `combineLatest` keeps its latest
/// element; a slot of `zip` consumes its elements in order.
@usableFromInline final class Combination<Output> {
  @usableFromInline typealias State = CombinationState

  @usableFromInline let arbiter: Arbiter<State, Output>
  // Makes the output from the slots. Called under the lock, and only if no slot is empty.
  @usableFromInline let take: (inout State) -> Output
  // Whether the combination completes when its only running source sends an element that can no longer be
  // combined.
  @usableFromInline let endsEarly: Bool

  @inlinable init<Element>(
    sources: Int, endsEarly: Bool, _ observer: AnyObserver<Element>,
    take: @escaping (inout State) -> Output, transform: @escaping (Output) throws -> Element
  ) {
    let sink = MapSink(observer, transform)
    let exit = AnyObserver<Output>.calling { sink.on($0) }
    arbiter = Arbiter(State(sources: sources), exit)
    self.take = take
    self.endsEarly = endsEarly
  }

  /// Subscribes to a source and puts its elements into its slot; the subscription ends with the source.
  ///
  /// If `endsLast` is `true`, a stop event that ends the combination is delivered before its source is
  /// disposed.
  @inlinable func follow<Element>(
    _ source: Observable<Element>, into slot: Slot<Element>, endsLast: Bool = false
  ) -> any Disposable {
    let subscription = SingleAssignmentDisposable()
    subscription.setDisposable(
      source.source(
        AnyObserver.calling { event in
          if event.isStopEvent, !endsLast { subscription.dispose() }
          switch event {
          case .next(let element): self.receive(element, into: slot)
          case .error(let error): self.arbiter.decide { $1.emit(.error(error)) }
          case .completed: self.complete(slot)
          }
          if event.isStopEvent, endsLast { subscription.dispose() }
        }))
    return subscription
  }

  @inlinable func receive<Element>(_ element: Element, into slot: Slot<Element>) {
    // Returned, so that the replaced element is released outside the lock.
    arbiter.decide { state, output -> Element? in
      if slot.isEmpty {
        if state.remainingResults == 0 {
          if endsEarly, state.runningSources == 1 { output.emit(.completed) }
          return nil
        }
        state.emptySlots -= 1
        state.link(slot)
      }
      let former = slot.put(element, limit: state.remainingResults)
      if state.emptySlots == 0 {
        if !slot.keepsLatest { state.remainingResults -= 1 }
        output.emit(.next(take(&state)))
      }
      return former
    }
  }

  @inlinable func complete<Element>(_ slot: Slot<Element>) {
    // Returned, so that the elements without a partner are released outside the lock.
    arbiter.decide { state, output -> [Any] in
      state.runningSources -= 1
      if state.runningSources == 0 { output.emit(.completed) }
      return slot.isEmpty || !slot.keepsLatest ? state.limit(slot.count) : []
    }
  }
}

/// The state that all slots of a combination share.
@usableFromInline struct CombinationState {
  /// The number of empty slots.
  @usableFromInline var emptySlots: Int
  /// The number of sources that have not ended.
  @usableFromInline var runningSources: Int
  // The maximum number of further results: a source that has ended adds no more elements to its slot. No slot
  // holds more elements than this.
  @usableFromInline var remainingResults = Int.max
  // The slots that have held an element, as a linked list from last to first. The combination keeps them
  // alive.
  @usableFromInline unowned var last: AnySlot?

  @inlinable init(sources: Int) {
    emptySlots = sources
    runningSources = sources
  }

  /// Adds a slot to the list when it gets its first element.
  @inlinable mutating func link(_ slot: AnySlot) {
    if slot.isLinked { return }
    slot.isLinked = true
    slot.previous = last
    last = slot
  }

  /// Limits the further results to `count`, and returns the elements that can no longer be combined.
  @usableFromInline mutating func limit(_ count: Int) -> [Any] {
    guard count < remainingResults else { return [] }
    remainingResults = count
    var dropped: [Any] = []
    var next = last
    while let slot = next {
      dropped.append(slot.removeElements(after: count))
      next = slot.previous
    }
    return dropped
  }
}
