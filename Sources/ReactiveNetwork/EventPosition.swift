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
    /// Whether the subscription has failed.
    var hasFailed = false
  }

  let sequence: Sequence
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

  /// Returns the position of a new subscription to a sequence, which an earlier attempt may have left.
  func beginEvents(of sequence: EventPosition.Sequence, _ initial: EventPosition.State) -> EventPosition {
    positions.withLock { $0.begin(sequence, initial) }
  }

  /// Notes that such a subscription has ended without a failure of its own.
  func endEvents(_ position: EventPosition) { positions.withLock { $0.end(position) } }

  /// Notes that the attempt has failed.
  func attemptFailed() { positions.withLock { $0.attemptFailed() } }

  func ruleForSharedSource(isForeign: Bool) -> (any SubscriptionRule)? { self }
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

  /// Returns the position of a new subscription.
  mutating func begin(_ sequence: EventPosition.Sequence, _ initial: EventPosition.State) -> EventPosition {
    let former = interrupted.firstIndex { $0.sequence === sequence }
    let position = former.map { interrupted.remove(at: $0) } ?? EventPosition(sequence, initial)
    position.current.hasFailed = false
    // One whose failure did not end the attempt has been replaced.
    running.removeAll { $0.sequence === sequence && $0.current.hasFailed }
    running.append(position)
    return position
  }

  /// Notes that a subscription has ended without a failure of its own.
  mutating func end(_ position: EventPosition) { running.removeAll { $0 === position } }

  /// Notes that the attempt has failed.
  mutating func attemptFailed() {
    // An attempt may fail before it subscribes, or use a shared source that an earlier one has started.
    interrupted = Array((running + interrupted).prefix(Self.interruptedLimit))
    running = []
  }
}
