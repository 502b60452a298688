public import Locking
public import Synchronization

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

  @inlinable borrowing func send(_ message: Message, deliver: (Message) -> Void) {
    if take(.idle, .delivering) {
      deliver(message)
    } else {
      backlog.withLock { $0.append(message) }
      guard takeTurnOrAnnounceBacklog() else { return }
      turn.store(.deliveringWithBacklog, ordering: .relaxed)
    }
    while !take(.delivering, .idle) {
      turn.store(.delivering, ordering: .relaxed)
      let messages = backlog.withLock { backlog in
        defer { backlog = [] }
        return backlog
      }
      for message in messages { deliver(message) }
    }
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
