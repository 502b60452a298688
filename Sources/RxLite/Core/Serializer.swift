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
/// The thread that finds nobody delivering delivers its own message and then whatever arrived meanwhile. Messages of other
/// threads, and those sent from inside a delivery, are queued, without limit to their number. A thread that delivers for others for
/// long hands over to the next one that sends (`Handover`). Undisturbed sending costs two atomic exchanges.
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
  // A `Backlog` of the recipient's messages if there is one.
  @usableFromInline let backlog = Lock<AnyObject?>(nil)

  @inlinable init() {}

  @inlinable @inline(__always) borrowing func send<To: Recipient>(_ message: To.Message, to recipient: To) {
    guard takeTurn() else { return leave(message, for: recipient) }
    recipient.receive(message)
    if !endTurn() { deliverBacklog(to: recipient) }
  }

  /// Adds to the backlog, and delivers it if no other thread does.
  ///
  /// With `takesOver`, this thread may take the delivery over from one that has delivered long enough.
  @inlinable @inline(never) borrowing func leave<To: Recipient>(
    _ message: To.Message, for recipient: To, takesOver: Bool = true
  ) {
    let messages = backlog.withLock { backlog in
      let messages = backlog.map { unsafeDowncast($0, to: Backlog<To.Message>.self) } ?? Backlog()
      messages.arriving.append(message)
      backlog = messages
      return messages
    }
    if takeTurnOrAnnounceBacklog() || takesOver && messages.handover.takesOver() {
      deliverBacklog(to: recipient)
    }
  }

  /// Delivers the backlog, and what is added to it meanwhile, and ends the caller's turn or hands it over.
  @inlinable @inline(never) borrowing func deliverBacklog<To: Recipient>(to recipient: To) {
    var share = Handover.share
    repeat {
      turn.store(.delivering, ordering: .relaxed)
      guard let messages = backlog.withLock({ $0 }) else { continue }
      let backlog = unsafeDowncast(messages, to: Backlog<To.Message>.self)
      while let message = next(of: backlog, &share) {
        recipient.receive(message)
        if backlog.handover.endsTurn(after: &share) { return }
      }
      backlog.handover.withdraw()
    } while !endTurn()
  }

  /// The oldest message; after the last one the backlog is dropped.
  @inlinable borrowing func next<Message>(of messages: Backlog<Message>, _ share: inout Int) -> Message? {
    if let message = messages.departing.popLast() { return message }
    backlog.withLock { backlog in
      swap(&messages.arriving, &messages.departing)
      if messages.departing.isEmpty { backlog = nil }
    }
    messages.departing.reverse()
    messages.handover.noteBacklog(of: messages.departing.count, share: &share)
    return messages.departing.popLast()
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
  // Used under the serializer's lock.
  @exclusivity(unchecked) @usableFromInline var arriving: [Message] = []
  // The oldest is the last one, so that each is released once it is delivered. Used in the serializer's turn.
  @exclusivity(unchecked) @usableFromInline var departing: [Message] = []
  @usableFromInline let handover = Handover()

  @inlinable init() {}
}
