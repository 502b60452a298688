public import ReactiveNetworkLock

/// The observers of a subject with a replay buffer, and the delivery to them.
///
/// To send an event, a thread records it and notes the newest observer, in one step under the lock. A new
/// observer reads the buffer and is added in one step too. So each element reaches each observer exactly
/// once: replayed or delivered. An observer that is removed before the delivery of an event does not get it.
@usableFromInline final class ReplayingBroadcast<Buffer: ReplayBuffer>: Sendable {
  @usableFromInline typealias Element = Buffer.Element

  @usableFromInline struct Delivery {
    @usableFromInline let event: Event<Element>
    /// The key of the newest receiver that the event is for.
    @usableFromInline let newest: Int

    @inlinable init(event: Event<Element>, newest: Int) {
      self.event = event
      self.newest = newest
    }
  }

  @usableFromInline typealias Receivers = ContiguousArray<Queue<Receiver>.Slot>

  @usableFromInline struct State {
    @usableFromInline var buffer: Buffer
    @usableFromInline var subject = SubjectState<Element>.running
    @usableFromInline var receivers = Queue<Receiver>()
    @usableFromInline var outbox = Outbox<Delivery>()

    @inlinable init(buffer: Buffer) {
      self.buffer = buffer
    }

    @inlinable var isRunning: Bool {
      if case .running = subject { true } else { false }
    }

    /// Returns what a new observer gets at once.
    @inlinable func initialEvents(from broadcast: AnyObject) -> InitialEvents<Element> {
      switch subject {
      case .running, .abandoned: InitialEvents(buffer.replay(hasEnded: false), end: nil)
      case .stopped(let event): InitialEvents(buffer.replay(hasEnded: true), end: event)
      case .disposed(let subject): InitialEvents([], end: .error(subject.error(elseOf: broadcast)))
      }
    }
  }

  @usableFromInline let state: Lock<State>
  @usableFromInline let handover = DeliveryHandover()
  @usableFromInline let counter = ElementCounter()

  @inlinable init(_ buffer: Buffer) {
    state = Lock(State(buffer: buffer))
  }

  @inlinable func send(_ event: Event<Element>) {
    let (delivery, receivers, waits, displaced): (Delivery?, Receivers, Bool, Element?) = state.withLock {
      state in
      guard state.isRunning else { return (nil, [], false, nil) }
      let displaced = state.buffer.record(event)
      if event.isStopEvent { state.subject = .stopped(event) } else { counter.increment() }
      let delivery = state.outbox.send(Delivery(event: event, newest: state.receivers.newestNumber))
      guard let delivery else { return (nil, [], true, displaced) }
      return (delivery, state.receivers.slots, false, displaced)
    }
    // Released here, outside the lock, because that may run user code.
    _ = displaced
    if let delivery {
      deliver(delivery, to: receivers)
      deliverBacklog()
    } else if waits, handover.waitToTakeOver() {
      deliverBacklog()
    }
  }

  @inlinable func deliver(_ delivery: Delivery, to receivers: Receivers) {
    for (key, receiver) in receivers where key <= delivery.newest { receiver?.send(.live(delivery.event)) }
  }

  /// Delivers the pending events.
  ///
  /// Called by the thread that owns the delivery.
  @inlinable func deliverBacklog() {
    // Released after the last delivery and outside the lock, because that may run user code.
    var released: Receivers = []
    handover.drain(
      state,
      next: { state in
        if let delivery = state.outbox.next() {
          return ((delivery, state.receivers.slots), state.outbox.count)
        }
        if !state.isRunning { released = state.receivers.removeAll() }
        return (nil, 0)
      },
      deliver: { deliver($0, to: $1) })
    _ = released
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let receiver = Receiver(observer)
    var key: Int?
    receiver.send(
      .initial {
        self.state.withLock { state in
          if state.isRunning { key = state.receivers.append(receiver) }
          return state.initialEvents(from: self)
        }
      })
    guard let key else { return Disposables.create() }
    return AnonymousDisposable { self.remove(key) }
  }

  @inlinable func remove(_ key: Int) {
    let removed = state.withLock { $0.receivers.remove(key) }
    // Released here, outside the lock, because that may run user code.
    _ = removed
  }

  /// Ends the subject's life without an event, and removes all observers after pending events are delivered.
  ///
  /// A stop event that was already sent remains, unless the subject is disposed.
  @inlinable func terminate(_ end: SubjectState<Element>) {
    let released: (Receivers, [[Element]], SubjectState<Element>) = state.withLock { state in
      var removed: [[Element]] = []
      let former = state.subject
      if state.isRunning { state.subject = end }
      if case .disposed = end {
        state.subject = end
        removed = state.buffer.removeAll()
      }
      // The delivering thread releases the receivers after the last delivery.
      return (state.outbox.isDelivering ? [] : state.receivers.removeAll(), removed, former)
    }
    // Released here, outside the lock, because that may run user code.
    _ = released
  }

  /// Returns the subject's state and its buffer in one step.
  func read() -> (state: SubjectState<Element>, buffer: Buffer) {
    state.withLock { ($0.subject, $0.buffer) }
  }

  var hasObservers: Bool { state.withLock { $0.isRunning && !$0.receivers.isEmpty } }

  var isDisposed: Bool {
    state.withLock { if case .disposed = $0.subject { true } else { false } }
  }

  /// An observer that gets the replayed events before the events that other threads send meanwhile.
  ///
  /// It is not a `SubjectObserver`, because a superclass costs 80 instructions for each event and observer.
  @usableFromInline final class Receiver: MessageRecipient {
    @usableFromInline enum Message {
      case initial(() -> InitialEvents<Element>)
      case live(Event<Element>)
    }

    @usableFromInline let observer: AnyObserver<Element>
    @usableFromInline let serializer = DeliverySerializer()

    @inlinable init(_ observer: AnyObserver<Element>) {
      self.observer = observer
    }

    @inlinable func send(_ message: Message) {
      serializer.send(message, to: self)
    }

    @inlinable func receive(_ message: Message) {
      switch message {
      case .initial(let replay):
        var replay = replay()
        while let event = replay.popFirst() { observer.on(event) }
      case .live(let event): observer.on(event)
      }
    }
  }
}
