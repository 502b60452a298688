public import Synchronization

/// The output of an operator with several senders, which delivers their events one at a time, and none after
/// a stop event or its disposal.
///
/// An operator subclasses it and conforms to `MessageRecipient`. If its messages are events, `receive` is
/// complete; otherwise the operator adds a `receive` that turns its messages into events. The assigned content
/// is the subscription to the source.
///
/// `Sendable` because the observer is called only in the serializer's turn, and the base class protects the
/// content. Subclasses repeat it, and give the reason beside each variable that they add.
@usableFromInline class SerializedOutput<Element>: SingleAssignmentBase, Disposable, @unchecked Sendable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  // Called only in the serializer's turn. Only `SerializedObserver` replaces it, also in the turn; others may read it
  // outside, to make observers of inner sequences.
  @exclusivity(unchecked) @usableFromInline final var observer: ReleasableObserver<Element>
  @usableFromInline final let serializer = DeliverySerializer()
  @usableFromInline final let ended = Atomic(false)

  @inlinable init(_ observer: AnyObserver<Element>) {
    self.observer = ReleasableObserver(observer)
  }

  @inlinable final var hasEnded: Bool { ended.load(ordering: .relaxed) }

  /// Whether an element of the source is still needed.
  @inlinable final var acceptsElements: Bool { !hasEnded && !isSet(.ended) }

  /// Forwards an event.
  ///
  /// Called in the serializer's turn.
  @inlinable final func receive(_ event: Event<Element>) {
    if hasEnded { return }
    guard event.isStopEvent else { return observer.on(event) }
    stop(event)
  }

  @inlinable final func stop(_ event: Event<Element>) {
    ended.store(true, ordering: .relaxed)
    observer.on(event)
    // Disposed here, because the consumer may hold the event back and dispose the subscription only later.
    disposeContent()
  }

  @usableFromInline func dispose() {
    ended.store(true, ordering: .relaxed)
    disposeContent()
  }
}

extension MessageRecipient {
  /// Handles a message after the earlier ones, on this thread unless another one is delivering.
  @inlinable @inline(__always) func send<Element>(_ message: Message) where Self: SerializedOutput<Element> {
    (self as SerializedOutput<Element>).serializer.send(message, to: self)
  }

  /// Sends the stop event of the source and disposes the source.
  ///
  /// The event may be queued, and the thread that would deliver it may still run the source.
  @inlinable func endSource<Element>(_ message: Message) where Self: SerializedOutput<Element> {
    send(message)
    (self as SerializedOutput<Element>).disposeContent()
  }
}
