import ReactiveNetworkLock
import RxLite

/// How far a subscription to server-sent events has come, for the next attempt of a retry.
final class EventPosition: Sendable {
  /// The identity of a sequence of events, which several subscriptions share.
  final class Sequence: Sendable {}

  struct State {
    /// The value of the next `Last-Event-ID`.
    var lastEventID: String
    /// The wait before a reconnection.
    var reconnectionTime: RxTimeInterval
  }

  let sequence: Sequence
  /// Whether the subscription has failed, or an attempt of a retry to which it belongs.
  let hasFailed = Lock(false)
  private let state: Lock<State>

  init(_ sequence: Sequence, _ state: State) {
    self.sequence = sequence
    self.state = Lock(state)
  }

  var current: State {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// The subscriptions to server-sent events that a retry continues.
///
/// The shared sources that an attempt starts have it, too.
final class RetriedEvents: SubscriptionRule {
  private let positions = Lock(EventPositions())

  /// Removes and returns the position that an earlier attempt has left; `nil` if there is none.
  fileprivate func takeInterrupted(_ sequence: EventPosition.Sequence) -> EventPosition? {
    positions.withLock { $0.takeInterrupted(sequence) }
  }

  /// Notes that a subscription has begun.
  fileprivate func beginEvents(_ position: EventPosition) { positions.withLock { $0.begin(position) } }

  /// Notes that a subscription has ended.
  func endEvents(_ position: EventPosition) { positions.withLock { $0.end(position) } }

  /// Notes that the attempt has failed.
  func attemptFailed() { positions.withLock { $0.attemptFailed() } }

  func ruleForSharedSource(isForeign: Bool) -> (any SubscriptionRule)? { self }
}

extension [RetriedEvents] {
  /// Returns the position of a new subscription to a sequence, which an earlier attempt may have left.
  ///
  /// All of the retries keep it, because the next attempt of an outer one starts the inner ones anew.
  func beginEvents(of sequence: EventPosition.Sequence, _ initial: EventPosition.State) -> EventPosition {
    let former = reduce(EventPosition?.none) { $0 ?? $1.takeInterrupted(sequence) }
    let position = EventPosition(sequence, former?.current ?? initial)
    for retry in self { retry.beginEvents(position) }
    return position
  }
}

/// The subscriptions to server-sent events in the attempts of a retry.
///
/// Those that run when an attempt fails continue in a later one, so that nothing is lost. A subscription that
/// ended before, because a newer one took its place for example, begins again.
struct EventPositions {
  /// Bounds the positions of sequences to which no attempt subscribes again because each one makes its own.
  private static let interruptedLimit = 100

  private var running: [EventPosition] = []
  /// Those that ran when an attempt failed, and have not been continued; the latest attempt's come first.
  private var interrupted: [EventPosition] = []

  /// Removes and returns the position that an earlier attempt has left; `nil` if there is none.
  mutating func takeInterrupted(_ sequence: EventPosition.Sequence) -> EventPosition? {
    interrupted.firstIndex { $0.sequence === sequence }.map { interrupted.remove(at: $0) }
  }

  /// Notes that a subscription has begun.
  mutating func begin(_ position: EventPosition) {
    // One whose failure did not end the attempt has been replaced, or is continued by an inner retry.
    running.removeAll { $0.sequence === position.sequence && $0.hasFailed.withLock { $0 } }
    running.append(position)
  }

  /// Notes that a subscription has ended.
  mutating func end(_ position: EventPosition) {
    // Operators, an inner retry among them, may dispose a subscription before this retry gets the error.
    if !position.hasFailed.withLock({ $0 }) { running.removeAll { $0 === position } }
  }

  /// Notes that the attempt has failed.
  mutating func attemptFailed() {
    for position in running { position.hasFailed.withLock { $0 = true } }
    // An attempt may fail before it subscribes, or use a shared source that an earlier one has started.
    interrupted = Array((running + interrupted).prefix(Self.interruptedLimit))
    running = []
  }
}
