import Locking

/// A subject that sends its last element when it ends, and nothing before; late observers get the same.
///
/// An error is sent alone. May be sent to from any thread and from several at once.
///
/// `@unchecked Sendable` because everything that changes is behind locks.
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable
{
  /// The observer this subject can be seen as: itself.
  public typealias SubjectObserverType = AsyncSubject<Element>

  private enum State {
    case running(last: Element?)
    case stopped
  }

  private let state = Lock(State.running(last: nil))
  private let broadcast: ReplayingBroadcast<BufferMemory<Element>>

  /// Makes a subject.
  public init() {
    let broadcast = ReplayingBroadcast(BufferMemory<Element>(size: 1))
    self.broadcast = broadcast
    super.init(source: broadcast.add)
  }

  @usableFromInline override var opensTrampoline: Bool { false }

  deinit {
    broadcast.end(.abandoned)
  }

  /// Whether somebody is subscribed.
  public var hasObservers: Bool { broadcast.hasObservers }

  /// Notes an element, or sends the last one and the end, or the error.
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
