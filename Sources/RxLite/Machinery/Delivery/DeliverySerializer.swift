public import ReactiveNetworkLock
public import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Receives the messages of a serializer, one at a time.
///
/// It is a protocol and not a closure, because a closure would retain its captures at each message.
@usableFromInline protocol MessageRecipient<Message> {
  associatedtype Message

  func receive(_ message: Message)

  /// Does what was asked for during the turn.
  ///
  /// Called in the turn, after a backlog and before the turn ends, perhaps several times; only if there was a
  /// backlog or `whileIdle` did not run its action.
  func finishTurn()
}

extension MessageRecipient {
  @inlinable @inline(__always) func finishTurn() {}
}

/// Delivers the messages of several threads to one recipient, one at a time and without holding a lock during
/// the delivery.
///
/// If no thread is delivering, the sending thread delivers its own message and then those that arrived
/// meanwhile. During a delivery, the messages of other threads and those sent from inside the delivery are
/// queued, without limit. A thread that has delivered many messages of other threads hands over to the next
/// thread that sends (`DeliveryHandover`). Uncontended sending costs two atomic exchanges.
///
/// A serializer serves one recipient but does not know its type. If it were generic, the layout of an object
/// that contains one would depend on the message, and Swift asks the runtime for such a layout whenever the
/// object is destroyed.
@usableFromInline struct DeliverySerializer: ~Copyable, Sendable {
  @usableFromInline enum State: UInt8, AtomicRepresentable, Sendable {
    case idle
    case delivering
    /// There is a backlog, or a thread was refused by `whileIdle`.
    case deliveringWithBacklog
    /// A thread is in `whileIdle`; the others wait.
    case paused
  }

  @usableFromInline let state = Atomic(State.idle)
  // A `Backlog` of the recipient's messages, or `nil`.
  @usableFromInline let backlog = Lock<AnyObject?>(nil)

  @inlinable init() {}

  /// Whether messages wait.
  @usableFromInline var hasBacklog: Bool { backlog.withLock { $0 != nil } }

  /// Whether a thread is delivering.
  @usableFromInline var isDelivering: Bool { state.load(ordering: .relaxed) != .idle }

  @inlinable @inline(__always) borrowing func send<To: MessageRecipient>(
    _ message: To.Message, to recipient: To
  ) {
    guard takeTurn() else { return enqueue(message, for: recipient) }
    recipient.receive(message)
    if !endTurn() { deliverBacklog(to: recipient) }
  }

  /// Adds a message to the backlog, and delivers the backlog if no other thread does.
  @inlinable @inline(never) borrowing func enqueue<To: MessageRecipient>(
    _ message: To.Message, for recipient: To
  ) {
    takeOver(append(message, for: recipient), for: recipient)
  }

  /// Adds a message to the backlog; the caller passes the result to `takeOver` then.
  @inlinable borrowing func append<To: MessageRecipient>(
    _ message: To.Message, for recipient: To
  ) -> Backlog<To.Message> {
    backlog.withLock { backlog in
      let messages = backlog.map { unsafeDowncast($0, to: Backlog<To.Message>.self) } ?? Backlog()
      messages.queued.append(message)
      backlog = messages
      return messages
    }
  }

  /// Delivers the backlog if no other thread does.
  @inlinable borrowing func takeOver<To: MessageRecipient>(
    _ messages: Backlog<To.Message>, for recipient: To
  ) {
    if changeIfIdle(to: .delivering) || messages.handover.waitToTakeOver() { deliverBacklog(to: recipient) }
  }

  /// Runs an action while no thread delivers, and delivers nothing itself.
  ///
  /// The action is short and runs no user code, because senders wait for it. If a thread is delivering, that
  /// thread calls the recipient's `finishTurn()` instead, and the result is `nil`.
  borrowing func whileIdle<Result>(_ action: () -> Result) -> Result? {
    guard changeIfIdle(to: .paused) else { return nil }
    defer { state.store(.idle, ordering: .releasing) }
    return action()
  }

  /// Delivers the backlog, including later additions, and ends the caller's turn or hands it over.
  @inlinable @inline(never) borrowing func deliverBacklog<To: MessageRecipient>(to recipient: To) {
    var remaining = DeliveryHandover.eventsPerTurn
    repeat {
      state.store(.delivering, ordering: .relaxed)
      if let messages = backlog.withLock({ $0 }) {
        let backlog = unsafeDowncast(messages, to: Backlog<To.Message>.self)
        while let message = next(of: backlog, &remaining) {
          recipient.receive(message)
          if backlog.handover.countDelivery(remaining: &remaining) { return }
        }
        backlog.handover.stopSeekingSuccessor()
      }
      recipient.finishTurn()
    } while !endTurn()
  }

  /// Returns the oldest message, or `nil` after dropping an empty backlog.
  @inlinable borrowing func next<Message>(of messages: Backlog<Message>, _ remaining: inout Int) -> Message? {
    if let message = messages.taken.popLast() { return message }
    backlog.withLock { backlog in
      swap(&messages.queued, &messages.taken)
      if messages.taken.isEmpty { backlog = nil }
    }
    messages.taken.reverse()
    messages.handover.seekSuccessorIfBehind(pending: messages.taken.count, remaining: &remaining)
    return messages.taken.popLast()
  }

  /// Returns `true` if the turn was free and this thread now has it.
  @inlinable borrowing func takeTurn() -> Bool {
    change(.idle, .delivering)
  }

  /// Returns `true` if there was no backlog and the turn is now free.
  @inlinable borrowing func endTurn() -> Bool {
    change(.delivering, .idle)
  }

  /// Returns `true` if no thread was delivering and the state is now `state`; otherwise informs the delivering
  /// thread that it must look again before its turn ends.
  @usableFromInline borrowing func changeIfIdle(to state: State) -> Bool {
    while true {
      if change(.idle, state) { return true }
      if change(.delivering, .deliveringWithBacklog) { return false }
      if self.state.load(ordering: .acquiring) == .deliveringWithBacklog { return false }
      sched_yield()
    }
  }

  @inlinable borrowing func change(_ expected: State, _ desired: State) -> Bool {
    state.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
  }
}

@usableFromInline final class Backlog<Message> {
  // Used under the serializer's lock.
  @exclusivity(unchecked) @usableFromInline var queued: [Message] = []
  // In reverse order, so that `popLast()` removes each message, which is released after its delivery. Used in
  // the serializer's turn.
  @exclusivity(unchecked) @usableFromInline var taken: [Message] = []
  @usableFromInline let handover = DeliveryHandover()

  @inlinable init() {}
}
