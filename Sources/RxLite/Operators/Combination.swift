/// Combines the elements of several sources: decides under a lock, transforms and delivers outside of it.
///
/// It emits when every source's slot holds an element. A slot of `combineLatest` keeps its latest element, one of
/// `zip` uses its elements up one after the other.
@usableFromInline final class Combination<Output> {
  @usableFromInline typealias State = CombinationState

  @usableFromInline let arbiter: Arbiter<State, Output>
  // Makes the output of the slots; called under the lock, and when no slot is empty.
  @usableFromInline let take: (inout State) -> Output
  // Whether the only running source ends the combination with an element that cannot be combined any more.
  @usableFromInline let endsEarly: Bool

  @inlinable init<Element>(
    sources: Int, endsEarly: Bool, _ observer: AnyObserver<Element>,
    take: @escaping (inout State) -> Output, transform: @escaping (Output) throws -> Element
  ) {
    let sink = MapSink(observer, transform)
    let exit = AnyObserver<Output> { sink.on($0) }
    arbiter = Arbiter(State(sources: sources), exit)
    self.take = take
    self.endsEarly = endsEarly
  }

  /// Subscribes to a source and puts its elements into its slot; the subscription ends with the source.
  ///
  /// A stop event that ends the combination is delivered before the source that sent it is disposed where it `endsLast`.
  @inlinable func follow<Element>(
    _ source: Observable<Element>, into slot: Slot<Element>, endsLast: Bool = false
  ) -> any Disposable {
    let subscription = SingleAssignmentDisposable()
    subscription.setDisposable(
      source.source(
        AnyObserver { event in
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
    // Returned, so that the element it replaces is released outside of the lock.
    arbiter.decide { state, output -> Element? in
      if state.isFruitless {
        if endsEarly, state.running == 1 { output.emit(.completed) }
        return nil
      }
      if slot.isEmpty { state.missing -= 1 }
      let former = slot.put(element)
      if state.missing == 0 { output.emit(.next(take(&state))) }
      return former
    }
  }

  @inlinable func complete<Element>(_ slot: Slot<Element>) {
    arbiter.decide { state, output in
      state.running -= 1
      slot.isFinal = true
      if slot.isEmpty { state.isFruitless = true }
      if state.running == 0 { output.emit(.completed) }
    }
  }
}

/// What a combination knows of all its slots.
@usableFromInline struct CombinationState {
  /// How many slots are empty.
  @usableFromInline var missing: Int
  /// How many sources have not ended.
  @usableFromInline var running: Int
  /// Whether a slot stays empty for good: nothing can be combined any more, so elements are not kept.
  @usableFromInline var isFruitless = false

  @inlinable init(sources: Int) {
    missing = sources
    running = sources
  }
}

/// What one source of a combination has sent and is not used up; touched only under the combination's lock.
@usableFromInline final class Slot<Element> {
  @usableFromInline let keepsLatest: Bool
  @exclusivity(unchecked) @usableFromInline var first: Element?
  @exclusivity(unchecked) @usableFromInline var others = Queue<Element>()
  // Whether the source has ended, so that nothing follows what is in the slot.
  @exclusivity(unchecked) @usableFromInline var isFinal = false

  @inlinable init(_: Element.Type = Element.self, keepsLatest: Bool) {
    self.keepsLatest = keepsLatest
  }

  @inlinable var isEmpty: Bool { first == nil }

  /// Returns the element it replaces.
  @inlinable func put(_ element: Element) -> Element? {
    if keepsLatest || first == nil {
      defer { first = element }
      return first
    }
    others.append(element)
    return nil
  }

  /// The first element; asked for only while the slot is not empty.
  @inlinable func take(_ state: inout CombinationState) -> Element {
    guard let element = first else { preconditionFailure("A slot was asked before its first element.") }
    if !keepsLatest {
      first = others.popFirst()
      if first == nil {
        state.missing += 1
        if isFinal { state.isFruitless = true }
      }
    }
    return element
  }
}
