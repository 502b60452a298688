/// A subject with a current value: an observer gets it at once, then what is sent.
///
/// May be sent to from any thread and from several at once: every observer gets one event after the other. The value
/// changes when an event is sent, also where its delivery has to wait for its turn.
///
/// `@unchecked Sendable` because everything that changes is behind the locks of its broadcast.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
  @unchecked Sendable
{
  /// The observer this subject can be seen as: itself.
  public typealias SubjectObserverType = BehaviorSubject<Element>

  @usableFromInline let broadcast: ReplayingBroadcast<LatestMemory<Element>>

  /// Makes a subject.
  ///
  /// - Parameter value: the first value.
  @inlinable public init(value: Element) {
    let broadcast = ReplayingBroadcast(LatestMemory(latest: value))
    self.broadcast = broadcast
    super.init(source: broadcast.add)
  }

  @usableFromInline override var opensTrampoline: Bool { false }

  deinit {
    broadcast.end(.abandoned)
  }

  /// The current value.
  ///
  /// - Returns: the element sent last.
  /// - Throws: the error the subject has ended with, or `RxError.disposed`.
  public func value() throws -> Element {
    let (life, memory) = broadcast.read()
    switch life {
    case .stopped(.error(let error)): throw error
    case .disposed: throw RxError.disposed(object: self)
    case .running, .stopped, .abandoned: return memory.latest
    }
  }

  /// Whether somebody is subscribed.
  public var hasObservers: Bool { broadcast.hasObservers }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { broadcast.isDisposed }

  /// Sends an event to all observers.
  @inlinable public func on(_ event: Event<Element>) {
    broadcast.send(event)
  }

  /// The subject itself.
  public func asObserver() -> BehaviorSubject<Element> {
    self
  }

  /// Lets all observers go without an event, behind what was sent before; whoever subscribes later gets `RxError.disposed`.
  public func dispose() {
    broadcast.end(.disposed(DisposedSubject(self)))
  }
}
