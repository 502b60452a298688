/// A subject without a memory: observers get what is sent after they have subscribed, late ones only the stop event.
///
/// May be sent to from any thread and from several at once: every observer gets one event after the other. An event sent
/// from inside a delivery of the same subject follows after it, also where the subject is disposed before that.
///
/// `@unchecked Sendable` because everything that changes is behind the locks of its broadcast.
public final class PublishSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
  @unchecked Sendable
{
  /// The observer this subject can be seen as: itself.
  public typealias SubjectObserverType = PublishSubject<Element>

  @usableFromInline let broadcast: Broadcast<Element>

  /// Makes a subject.
  @inlinable public init() {
    let broadcast = Broadcast<Element>()
    self.broadcast = broadcast
    super.init(source: broadcast.add)
  }

  @usableFromInline override var opensTrampoline: Bool { false }

  deinit {
    broadcast.release(.abandoned)
  }

  /// Whether somebody is subscribed.
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

  /// Lets all observers go without an event, behind what was sent before; whoever subscribes later gets `RxError.disposed`.
  public func dispose() {
    broadcast.release(.disposed(DisposedSubject(self)))
  }
}
