/// Where sequences of different types meet: their messages are decided on one after the other.
///
/// `decide` runs in the serializer's turn, so the state it captures needs no lock; nothing is decided behind a stop
/// event.
@usableFromInline final class Junction<Message, Element>: Recipient {
  @usableFromInline let observer: AnyObserver<Element>
  @usableFromInline let decide: (Message) -> Event<Element>?
  @usableFromInline let serializer = Serializer()
  @usableFromInline var isStopped = false

  @inlinable init(_ observer: AnyObserver<Element>, decide: @escaping (Message) -> Event<Element>?) {
    self.observer = observer
    self.decide = decide
  }

  @inlinable func send(_ message: Message) {
    serializer.send(message, to: self)
  }

  @inlinable func receive(_ message: Message) {
    guard !isStopped, let event = decide(message) else { return }
    isStopped = event.isStopEvent
    observer.on(event)
  }
}

/// A message of one of two sequences.
@usableFromInline enum Pairing<First, Second> {
  case first(Event<First>)
  case second(Event<Second>)
}
