public import Locking
public import Synchronization

/// Gets the messages of a serializer, one after the other.
///
/// A protocol rather than a closure: a closure would retain what it captures at each message.
@usableFromInline protocol Recipient<Message> {
  associatedtype Message

  func receive(_ message: Message)
}

/// Delivers what several threads send one message after the other, without holding a lock while delivering.
///
/// The thread that finds nobody delivering delivers its own message and then whatever arrived meanwhile; all others,
/// and a message sent from inside a delivery, are queued and return at once. Undisturbed sending costs two
/// atomic exchanges.
@usableFromInline struct Serializer<Message>: ~Copyable, Sendable {
  @usableFromInline enum Turn: UInt8, AtomicRepresentable, Sendable {
    case idle
    case delivering
    case deliveringWithBacklog
  }

  @usableFromInline let turn = Atomic(Turn.idle)
  @usableFromInline let backlog = Lock<[Message]>([])

  @inlinable init() {}

  @inlinable @inline(__always) borrowing func send<To: Recipient<Message>>(
    _ message: Message, to recipient: To
  ) {
    guard take(.idle, .delivering) else { return leave(message, for: recipient) }
    recipient.receive(message)
    if !take(.delivering, .idle) { deliverBacklog(to: recipient) }
  }

  @inlinable @inline(never) borrowing func leave<To: Recipient<Message>>(
    _ message: Message, for recipient: To
  ) {
    backlog.withLock { $0.append(message) }
    if takeTurnOrAnnounceBacklog() { deliverBacklog(to: recipient) }
  }

  @inlinable @inline(never) borrowing func deliverBacklog<To: Recipient<Message>>(to recipient: To) {
    repeat {
      turn.store(.delivering, ordering: .relaxed)
      let messages = backlog.withLock { backlog in
        defer { backlog = [] }
        return backlog
      }
      for message in messages { recipient.receive(message) }
    } while !take(.delivering, .idle)
  }

  /// Whether the turn was free and is now this thread's; otherwise the one who has it knows that there is a backlog.
  @usableFromInline borrowing func takeTurnOrAnnounceBacklog() -> Bool {
    while true {
      if take(.idle, .delivering) { return true }
      if take(.delivering, .deliveringWithBacklog) { return false }
      if turn.load(ordering: .acquiring) == .deliveringWithBacklog { return false }
    }
  }

  @inlinable borrowing func take(_ expected: Turn, _ desired: Turn) -> Bool {
    turn.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
  }
}
