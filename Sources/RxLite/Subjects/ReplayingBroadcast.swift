public import Locking

/// The observers of a subject with a memory, and the delivery to them.
///
/// An event is recorded, and the observers it is for are noted, in one step under the lock; a new observer reads the
/// memory and is added in one step too. So each element reaches each observer once: replayed or delivered.
@usableFromInline final class ReplayingBroadcast<Memory: SubjectMemory>: @unchecked Sendable {
  @usableFromInline typealias Element = Memory.Element

  @usableFromInline struct Delivery {
    @usableFromInline let event: Event<Element>
    @usableFromInline let members: [(key: Int, member: Member)]

    @inlinable init(event: Event<Element>, members: [(key: Int, member: Member)]) {
      self.event = event
      self.members = members
    }
  }

  @usableFromInline struct State {
    @usableFromInline var memory: Memory
    @usableFromInline var life = SubjectLife<Element>.running
    @usableFromInline var members: [(key: Int, member: Member)] = []
    @usableFromInline var nextKey = 0
    @usableFromInline var outbox = Queue<Delivery>()
    @usableFromInline var isDelivering = false

    @inlinable init(memory: Memory) {
      self.memory = memory
    }

    /// What a new observer gets at once.
    @inlinable func greeting(from broadcast: AnyObject) -> [Event<Element>] {
      switch life {
      // An operator on a released subject still shows what was kept.
      case .running, .abandoned: memory.replay(isStopped: false).map { .next($0) }
      case .stopped(let event): memory.replay(isStopped: true).map { .next($0) } + [event]
      case .disposed(let subject): [.error(subject.error(elseOf: broadcast))]
      }
    }
  }

  @usableFromInline let state: Lock<State>

  @inlinable init(_ memory: Memory) {
    state = Lock(State(memory: memory))
  }

  @inlinable func send(_ event: Event<Element>) {
    let (delivery, displaced): (Delivery?, Element?) = state.withLock { state in
      guard case .running = state.life else { return (nil, nil) }
      let displaced = state.memory.record(event)
      let delivery = Delivery(event: event, members: state.members)
      if event.isStopEvent {
        state.life = .stopped(event)
        state.members = []
      }
      guard !state.isDelivering else {
        state.outbox.append(delivery)
        return (nil, displaced)
      }
      state.isDelivering = true
      return (delivery, displaced)
    }
    // Released here, outside of the lock, since that may run user code.
    _ = displaced
    var due = delivery
    while let delivery = due {
      for (_, member) in delivery.members { member.send(.live(delivery.event)) }
      due = state.withLock { state in
        state.isDelivering = !state.outbox.isEmpty
        return state.outbox.popFirst()
      }
    }
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let member = Member(observer)
    var key: Int?
    member.send(
      .greeting {
        self.state.withLock { state in
          if case .running = state.life {
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
    // Released here, outside of the lock, since that may run user code.
    _ = removed
  }

  /// Ends the subject's life without an event and lets all observers go; a stop event already sent stays, unless disposed.
  @inlinable func end(_ life: SubjectLife<Element>) {
    let released = state.withLock { state in
      var forgotten: [Element] = []
      let former = state.life
      if case .running = state.life { state.life = life }
      if case .disposed = life {
        state.life = life
        forgotten = state.memory.forget()
      }
      defer {
        state.members = []
        state.outbox = Queue()
      }
      return (state.members, state.outbox, forgotten, former)
    }
    // Released here, outside of the lock, since that may run user code.
    _ = released
  }

  /// Reads the subject's life and memory in one step.
  func read() -> (life: SubjectLife<Element>, memory: Memory) {
    state.withLock { ($0.life, $0.memory) }
  }

  var hasObservers: Bool { state.withLock { !$0.members.isEmpty } }

  var isDisposed: Bool {
    state.withLock { if case .disposed = $0.life { true } else { false } }
  }

  /// An observer that gets its greeting before what other threads send meanwhile.
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
      case .greeting(let events): for event in events() { observer.on(event) }
      case .live(let event): observer.on(event)
      }
    }
  }
}
