/// A subject that replays its last elements to each new observer, even after the end.
///
/// Events may be sent from any thread and from several threads at once; every observer gets one event at a
/// time.
///
/// ```swift
/// let subject = ReplaySubject<Int>.create(bufferSize: 2)
/// for element in 1...3 { subject.onNext(element) }
/// _ = subject.subscribe(onNext: { print($0) })  // 2, 3
/// ```
///
/// Sendable because all mutable state is behind the locks of its broadcast.
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType, Disposable,
  @unchecked Sendable
{
  /// The observer type of this subject: its own type.
  public typealias SubjectObserverType = ReplaySubject<Element>

  @usableFromInline let broadcast: ReplayingBroadcast<RingReplayBuffer<Element>>

  @inlinable init(size: Int) {
    let broadcast = ReplayingBroadcast(RingReplayBuffer<Element>(size: size))
    self.broadcast = broadcast
    super.init(needsTrampoline: false, source: broadcast.add)
  }

  @usableFromInline override var source: Source { { [self] in start($0) } }

  @usableFromInline override var counter: ElementCounter? { broadcast.counter }

  deinit {
    broadcast.terminate(.abandoned)
  }

  /// Creates a subject that replays a limited number of elements.
  ///
  /// - Parameter bufferSize: the number of elements; with 0 only the stop event is replayed.
  /// - Returns: the subject.
  /// - Precondition: `bufferSize >= 0`.
  @inlinable public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    precondition(bufferSize >= 0, "bufferSize is negative: \(bufferSize)")
    return ReplaySubject(size: bufferSize)
  }

  /// Creates a subject that replays all elements.
  ///
  /// - Returns: the subject.
  @inlinable public static func createUnbounded() -> ReplaySubject<Element> {
    ReplaySubject(size: .max)
  }

  /// Whether the subject has observers.
  public var hasObservers: Bool { broadcast.hasObservers }

  /// Sends an event to all observers.
  @inlinable public func on(_ event: Event<Element>) {
    broadcast.send(event)
  }

  /// The subject itself.
  public func asObserver() -> ReplaySubject<Element> {
    self
  }

  /// Drops the elements and removes all observers without a stop event, after pending events are delivered;
  /// later observers get `RxError.disposed`.
  public func dispose() {
    broadcast.terminate(.disposed(DisposedSubject(self)))
  }
}
