public import Locking
public import Synchronization

/// Gets the messages of a serializer, one after the other.
///
/// A protocol rather than a closure: a closure would retain what it captures at each message.
@usableFromInline protocol Recipient<Message> {
  associatedtype Message

  func receive(_ message: Message)
}

/// Delivers what several threads send to one recipient one message after the other, without holding a lock while delivering.
///
/// The thread that finds nobody delivering delivers its own message and then whatever arrived meanwhile; all others,
/// and a message sent from inside a delivery, are queued and return at once. Undisturbed sending costs two
/// atomic exchanges.
///
/// A serializer serves one recipient, but does not know its type: were it generic, the layout of an object that has one
/// would depend on the message, and Swift asks the runtime for such a layout whenever an object goes away.
@usableFromInline struct Serializer: ~Copyable, Sendable {
  @usableFromInline enum Turn: UInt8, AtomicRepresentable, Sendable {
    case idle
    case delivering
    case deliveringWithBacklog
  }

  @usableFromInline let turn = Atomic(Turn.idle)
  // A `Backlog` of the recipient's messages where there is one.
  @usableFromInline let backlog = Lock<AnyObject?>(nil)

  @inlinable init() {}

  @inlinable @inline(__always) borrowing func send<To: Recipient>(_ message: To.Message, to recipient: To) {
    guard takeTurn() else { return leave(message, for: recipient) }
    recipient.receive(message)
    if !endTurn() { deliverBacklog(to: recipient) }
  }

  /// Adds to the backlog, and delivers it where nobody else will.
  @inlinable @inline(never) borrowing func leave<To: Recipient>(_ message: To.Message, for recipient: To) {
    backlog.withLock { backlog in
      let messages = backlog.map { unsafeDowncast($0, to: Backlog<To.Message>.self) } ?? Backlog()
      messages.all.append(message)
      backlog = messages
    }
    if takeTurnOrAnnounceBacklog() { deliverBacklog(to: recipient) }
  }

  /// Delivers the backlog, and what is added to it meanwhile; for one who has the turn, which ends with it.
  @inlinable @inline(never) borrowing func deliverBacklog<To: Recipient>(to recipient: To) {
    repeat {
      turn.store(.delivering, ordering: .relaxed)
      guard let messages = backlog.withLock({ $0.take() }) else { continue }
      for message in unsafeDowncast(messages, to: Backlog<To.Message>.self).all { recipient.receive(message) }
    } while !endTurn()
  }

  /// Whether the turn was free and is now this thread's.
  @inlinable borrowing func takeTurn() -> Bool {
    change(.idle, .delivering)
  }

  /// Whether there is no backlog and the turn is free again.
  @inlinable borrowing func endTurn() -> Bool {
    change(.delivering, .idle)
  }

  /// Whether the turn was free and is now this thread's; otherwise the one who has it knows that there is a backlog.
  @usableFromInline borrowing func takeTurnOrAnnounceBacklog() -> Bool {
    while true {
      if takeTurn() { return true }
      if change(.delivering, .deliveringWithBacklog) { return false }
      if turn.load(ordering: .acquiring) == .deliveringWithBacklog { return false }
    }
  }

  @inlinable borrowing func change(_ expected: Turn, _ desired: Turn) -> Bool {
    turn.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
  }
}

@usableFromInline final class Backlog<Message> {
  @usableFromInline var all: [Message] = []

  @inlinable init() {}
}
