/// A subject with a memory of the last elements: an observer gets these first, then what is sent, also after the end.
///
/// May be sent to from any thread and from several at once: every observer gets one event after the other.
///
/// ```swift
/// let subject = ReplaySubject<Int>.create(bufferSize: 2)
/// for element in 1...3 { subject.onNext(element) }
/// _ = subject.subscribe(onNext: { print($0) })  // 2, 3
/// ```
///
/// `@unchecked Sendable` because everything that changes is behind the locks of its broadcast.
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType, Disposable,
  @unchecked Sendable
{
  /// The observer this subject can be seen as: itself.
  public typealias SubjectObserverType = ReplaySubject<Element>

  @usableFromInline let broadcast: ReplayingBroadcast<BufferMemory<Element>>

  @inlinable init(size: Int) {
    let broadcast = ReplayingBroadcast(BufferMemory<Element>(size: size))
    self.broadcast = broadcast
    super.init(source: broadcast.add)
  }

  @usableFromInline override var opensTrampoline: Bool { false }

  deinit {
    broadcast.end(.abandoned)
  }

  /// Makes a subject that remembers so many elements.
  ///
  /// - Parameter bufferSize: how many; 0 remembers the stop event alone.
  /// - Returns: the subject.
  /// - Precondition: `bufferSize >= 0`.
  @inlinable public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    precondition(bufferSize >= 0, "bufferSize is negative: \(bufferSize)")
    return ReplaySubject(size: bufferSize)
  }

  /// Makes a subject that remembers all elements.
  ///
  /// - Returns: the subject.
  @inlinable public static func createUnbounded() -> ReplaySubject<Element> {
    ReplaySubject(size: .max)
  }

  /// Whether somebody is subscribed.
  public var hasObservers: Bool { broadcast.hasObservers }

  /// Sends an event to all observers.
  @inlinable public func on(_ event: Event<Element>) {
    broadcast.send(event)
  }

  /// The subject itself.
  public func asObserver() -> ReplaySubject<Element> {
    self
  }

  /// Forgets the elements and lets all observers go without an event, behind what was sent before; whoever subscribes
  /// later gets `RxError.disposed`.
  public func dispose() {
    broadcast.end(.disposed(DisposedSubject(self)))
  }
}
