/// A subject that sends each event to its current observers; later observers get only the stop event.
///
/// Events may be sent from any thread and from several threads at once; every observer gets one event at a
/// time. An event that is sent from inside a delivery of the same subject is delivered afterwards, even if
/// the subject is disposed meanwhile.
///
/// Sendable because all mutable state is behind the locks of its broadcast.
public final class PublishSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
  @unchecked Sendable
{
  /// The observer type of this subject: its own type.
  public typealias SubjectObserverType = PublishSubject<Element>

  @usableFromInline let broadcast: Broadcast<Element>

  /// Creates a subject.
  @inlinable public init() {
    let broadcast = Broadcast<Element>()
    self.broadcast = broadcast
    super.init(needsTrampoline: false, source: broadcast.add)
  }

  @usableFromInline override var source: Source { { [self] in start($0) } }

  @usableFromInline override var counter: ElementCounter? { broadcast.counter }

  deinit {
    broadcast.terminate(.abandoned)
  }

  /// Whether the subject has observers.
  public var hasObservers: Bool { !broadcast.isEmpty }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool { broadcast.isDisposed }

  /// Sends an event to all observers.
  @inlinable public func on(_ event: Event<Element>) {
    broadcast.send(event)
  }

  /// The subject itself.
  public func asObserver() -> PublishSubject<Element> {
    self
  }

  /// Removes all observers without a stop event, after pending events are delivered; later observers get
  /// `RxError.disposed`.
  public func dispose() {
    broadcast.terminate(.disposed(DisposedSubject(self)))
  }
}
