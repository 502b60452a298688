/// Receives the events of a transfer that only its transport can observe; see ``TransportRequest/observer``.
///
/// A transport reports the events that it knows, with `report(_:at:)`, on any thread.
public protocol TransferObserver: AnyObject, Sendable {
  /// Adds an event without delivering it.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - time: when it happened.
  /// - Returns: whether `deliver()` must be called; `false` if the event is ignored.
  func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool

  /// Delivers the noted events, unless another thread is delivering.
  func deliver()
}

extension TransferObserver {
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
