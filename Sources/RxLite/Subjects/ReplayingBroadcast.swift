public import ReactiveNetworkLock

/// The observers of a subject with a replay buffer, and the delivery to them.
///
/// To send an event, a thread records it and notes the newest observer, in one step under the lock. A new
/// observer reads the buffer and is added in one step too. So each element reaches each observer exactly
/// once: replayed or delivered. An observer that is removed before the delivery of an event does not get it.
@usableFromInline final class ReplayingBroadcast<Buffer: ReplayBuffer>: @unchecked Sendable {
  @usableFromInline typealias Element = Buffer.Element

  @usableFromInline struct Delivery {
    @usableFromInline let event: Event<Element>
    /// The key of the newest member that the event is for.
    @usableFromInline let newest: Int

    @inlinable init(event: Event<Element>, newest: Int) {
      self.event = event
      self.newest = newest
    }
  }

  @usableFromInline typealias Members = [(key: Int, member: Member)]
  /// A delivery, and the members that are candidates for it.
  @usableFromInline typealias Turn = (delivery: Delivery?, members: Members)

  @usableFromInline struct State {
    @usableFromInline var buffer: Buffer
    @usableFromInline var life = SubjectLife<Element>.running
    @usableFromInline var members: Members = []
    @usableFromInline var nextKey = 0
    @usableFromInline var outbox = Queue<Delivery>()
    @usableFromInline var isDelivering = false

    @inlinable init(buffer: Buffer) {
      self.buffer = buffer
    }

    @inlinable var isRunning: Bool {
      if case .running = life { true } else { false }
    }

    /// Returns the next delivery.
    ///
    /// After the last one, it returns the members to release.
    @inlinable mutating func next() -> Turn {
      if let delivery = outbox.popFirst() { return (delivery, members) }
      isDelivering = false
      if isRunning { return (nil, []) }
      defer { members = [] }
      return (nil, members)
    }

    /// Returns the events that a new observer gets at once.
    @inlinable func greeting(from broadcast: AnyObject) -> [Event<Element>] {
      switch life {
      // An operator on a released subject still replays the buffer.
      case .running, .abandoned: buffer.replay(hasEnded: false).map { .next($0) }
      case .stopped(let event): buffer.replay(hasEnded: true).map { .next($0) } + [event]
      case .disposed(let subject): [.error(subject.error(elseOf: broadcast))]
      }
    }
  }

  @usableFromInline let state: Lock<State>
  @usableFromInline let handover = Handover()

  @inlinable init(_ buffer: Buffer) {
    state = Lock(State(buffer: buffer))
  }

  @inlinable func send(_ event: Event<Element>) {
    let (turn, waits, displaced): (Turn, Bool, Element?) = state.withLock { state in
      guard state.isRunning else { return ((nil, []), false, nil) }
      let displaced = state.buffer.record(event)
      if event.isStopEvent { state.life = .stopped(event) }
      let delivery = Delivery(event: event, newest: state.nextKey)
      guard !state.isDelivering else {
        state.outbox.append(delivery)
        return ((nil, []), true, displaced)
      }
      state.isDelivering = true
      return ((delivery, state.members), false, displaced)
    }
    // Released here, outside the lock, because that may run user code.
    _ = displaced
    if let delivery = turn.delivery {
      deliver(delivery, to: turn.members)
      deliverBacklog()
    } else if waits, handover.takesOver() {
      deliverBacklog()
    }
  }

  @inlinable func deliver(_ delivery: Delivery, to members: Members) {
    for (key, member) in members where key <= delivery.newest { member.send(.live(delivery.event)) }
  }

  /// Delivers the pending events.
  ///
  /// Called by the thread that owns the delivery.
  @inlinable func deliverBacklog() {
    var remaining = Handover.turnLength
    while true {
      let turn = next(&remaining)
      guard let delivery = turn.delivery else { return }
      deliver(delivery, to: turn.members)
      if handover.countDelivery(remaining: &remaining) { return }
    }
  }

  @inlinable func next(_ remaining: inout Int) -> Turn {
    let isSeeking = remaining == 0
    let (turn, waiting): (Turn, Int) = state.withLock { state in
      let turn = state.next()
      if turn.delivery == nil && isSeeking { handover.stopSeeking() }
      return (turn, state.outbox.count)
    }
    if !isSeeking { handover.seekIfBehind(pending: waiting, remaining: &remaining) }
    return turn
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let member = Member(observer)
    var key: Int?
    member.send(
      .greeting {
        self.state.withLock { state in
          if state.isRunning {
            state.nextKey += 1
            state.members.append((state.nextKey, member))
            key = state.nextKey
          }
          return state.greeting(from: self)
        }
      })
    guard let key else { return Disposables.create() }
    return Disposables.create { self.remove(key) }
  }

  @inlinable func remove(_ key: Int) {
    let removed = state.withLock { state -> Member? in
      guard let index = state.members.index(of: key, key: { $0.key }) else { return nil }
      return state.members.remove(at: index).member
    }
    // Released here, outside the lock, because that may run user code.
    _ = removed
  }

  /// Ends the subject's life without an event, and removes all observers after pending events are delivered.
  ///
  /// A stop event that was already sent remains, unless the subject is disposed.
  @inlinable func end(_ life: SubjectLife<Element>) {
    let released: (Members, [Element], SubjectLife<Element>) = state.withLock { state in
      var forgotten: [Element] = []
      let former = state.life
      if state.isRunning { state.life = life }
      if case .disposed = life {
        state.life = life
        forgotten = state.buffer.forget()
      }
      // The delivering thread releases the members after the last delivery.
      if state.isDelivering { return ([], forgotten, former) }
      defer { state.members = [] }
      return (state.members, forgotten, former)
    }
    // Released here, outside the lock, because that may run user code.
    _ = released
  }

  /// Returns the subject's life and its buffer in one step.
  func read() -> (life: SubjectLife<Element>, buffer: Buffer) {
    state.withLock { ($0.life, $0.buffer) }
  }

  var hasObservers: Bool { state.withLock { $0.isRunning && !$0.members.isEmpty } }

  var isDisposed: Bool {
    state.withLock { if case .disposed = $0.life { true } else { false } }
  }

  /// An observer that gets the replayed events before the events that other threads send meanwhile.
  @usableFromInline final class Member: Recipient {
    @usableFromInline enum Message {
      case greeting(() -> [Event<Element>])
      case live(Event<Element>)
    }

    @usableFromInline let observer: AnyObserver<Element>
    @usableFromInline let serializer = Serializer()

    @inlinable init(_ observer: AnyObserver<Element>) {
      self.observer = observer
    }

    @inlinable func send(_ message: Message) {
      serializer.send(message, to: self)
    }

    @inlinable func receive(_ message: Message) {
      switch message {
      case .greeting(let events):
        // In reverse order, so that each event is released once it is delivered.
        var departing = events()
        departing.reverse()
        while let event = departing.popLast() { observer.on(event) }
      case .live(let event): observer.on(event)
      }
    }
  }
}
