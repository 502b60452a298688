import ReactiveNetworkLock

/// A subject that sends only its last element, when it completes; later observers get the same events.
///
/// If it fails, only the error is sent. Events may be sent from any thread and from several threads at once.
///
/// Sendable because all mutable state is behind locks.
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable
{
  /// The observer type of this subject: its own type.
  public typealias SubjectObserverType = AsyncSubject<Element>

  private enum State {
    case running(last: Element?)
    case stopped
  }

  private let state = Lock(State.running(last: nil))
  private let broadcast: ReplayingBroadcast<RingReplayBuffer<Element>>

  /// Creates a subject.
  public init() {
    let broadcast = ReplayingBroadcast(RingReplayBuffer<Element>(size: 1))
    self.broadcast = broadcast
    super.init(needsTrampoline: false, source: broadcast.add)
  }

  @usableFromInline override var source: Source { { [self] in start($0) } }

  deinit {
    broadcast.terminate(.abandoned)
  }

  /// Whether the subject has observers.
  public var hasObservers: Bool { broadcast.hasObservers }

  /// Stores an element; at the end, sends the last element and the completion, or the error.
  public func on(_ event: Event<Element>) {
    let former = state.withLock { state in
      guard case .running = state else { return State.stopped }
      defer { state = if case .next(let element) = event { .running(last: element) } else { .stopped } }
      return state
    }
    guard case .running(let last) = former, event.isStopEvent else { return }
    if event.isCompleted, let last { broadcast.send(.next(last)) }
    broadcast.send(event)
  }

  /// The subject itself.
  public func asObserver() -> AsyncSubject<Element> {
    self
  }
}
