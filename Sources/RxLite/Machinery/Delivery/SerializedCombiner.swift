/// Combines sequences of different element types by handling their messages one at a time.
///
/// `decide` runs in the serializer's turn, so the state that it captures needs no lock. Messages after a stop
/// event are ignored.
@usableFromInline final class SerializedCombiner<Message, Element>: MessageRecipient {
  @usableFromInline let observer: AnyObserver<Element>
  @usableFromInline let decide: (Message) -> Event<Element>?
  @usableFromInline let serializer = DeliverySerializer()
  @usableFromInline var hasEnded = false

  @inlinable init(_ observer: AnyObserver<Element>, decide: @escaping (Message) -> Event<Element>?) {
    self.observer = observer
    self.decide = decide
  }

  @inlinable func send(_ message: Message) {
    serializer.send(message, to: self)
  }

  @inlinable func receive(_ message: Message) {
    guard !hasEnded, let event = decide(message) else { return }
    hasEnded = event.isStopEvent
    observer.on(event)
  }
}
