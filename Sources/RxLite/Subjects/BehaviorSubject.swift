/// A subject with a current value: a new observer gets the value at once, then all later events.
///
/// Events may be sent from any thread and from several threads at once; every observer gets one event at a
/// time. The value changes when an event is sent, even if its delivery has to wait.
///
/// Sendable because all mutable state is behind the locks of its broadcast.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
  @unchecked Sendable
{
  /// The observer type of this subject: its own type.
  public typealias SubjectObserverType = BehaviorSubject<Element>

  @usableFromInline let broadcast: ReplayingBroadcast<LatestValueBuffer<Element>>

  /// Creates a subject.
  ///
  /// - Parameter value: the initial value.
  @inlinable public init(value: Element) {
    let broadcast = ReplayingBroadcast(LatestValueBuffer(latest: value))
    self.broadcast = broadcast
    super.init(needsTrampoline: false, source: broadcast.add)
  }

  @usableFromInline override var source: Source { { [self] in start($0) } }

  @usableFromInline override var counter: ElementCounter? { broadcast.counter }

  deinit {
    broadcast.terminate(.abandoned)
  }

  /// Returns the current value.
  ///
  /// - Returns: the most recently sent element.
  /// - Throws: the error that the subject has ended with, or `RxError.disposed`.
  public func value() throws -> Element {
    let (state, buffer) = broadcast.read()
    switch state {
    case .stopped(.error(let error)): throw error
    case .disposed: throw RxError.disposed(object: self)
    case .running, .stopped, .abandoned: return buffer.latest
    }
  }

  /// Whether the subject has observers.
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

  /// Removes all observers without a stop event, after pending events are delivered; later observers get
  /// `RxError.disposed`.
  public func dispose() {
    broadcast.terminate(.disposed(DisposedSubject(self)))
  }
}
