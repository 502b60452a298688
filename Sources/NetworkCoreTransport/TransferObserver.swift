/// Receives the events of a transfer that only its transport can observe; see ``TransportRequest/observer``.
///
/// A transport reports the events that it knows, with `report(_:at:)`, on any thread.
public protocol TransferObserver: AnyObject, Sendable {
  /// Adds an event without delivering it.
  ///
  /// It must not block: `CurlTransport` calls it on the thread that carries all its transfers.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - time: when it happened.
  /// - Returns: whether `deliver()` must be called; `false` if the event is ignored.
  func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool

  /// Delivers the noted events, unless another thread is delivering.
  func deliver()

  /// Returns the observer of a second copy of the request, such as that of a hedged request; `nil`, the
  /// default, if nothing observes the copy.
  ///
  /// A copy is a request of its own: its events must not mix with those of the first one. An observer that
  /// passes its events on to another observer returns the other one's observer of the copy.
  ///
  /// - Parameter copy: the request that is about to be sent.
  /// - Returns: the observer, which also gets the events of the copy's transfer (`receive(_:)`).
  func observer(ofCopy copy: TransportRequest) -> (any TransferObserver)?

  /// Receives an event of the transfer of a copy, up to its end; does nothing by default.
  ///
  /// - Parameter event: the event.
  func receive(_ event: TransferEvent)
}

extension TransferObserver {
  /// Returns `nil`: nothing observes the copy.
  ///
  /// - Parameter copy: the request that is about to be sent.
  /// - Returns: `nil`.
  public func observer(ofCopy copy: TransportRequest) -> (any TransferObserver)? { nil }

  /// Does nothing.
  ///
  /// - Parameter event: the event.
  public func receive(_ event: TransferEvent) {}

  /// Adds an event and delivers it, unless another thread is delivering.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - time: when it happened.
  public func report(_ event: TransportEvent, at time: ContinuousClock.Instant = .now) {
    if note(event, at: time) { deliver() }
  }
}

/// An observer, compared by its identity.
struct TransferObserverIdentity: Sendable, Hashable {
  var observer: (any TransferObserver)?

  static func == (first: Self, second: Self) -> Bool { first.observer === second.observer }

  func hash(into hasher: inout Hasher) { hasher.combine(observer.map { ObjectIdentifier($0) }) }
}
