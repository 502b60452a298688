public import RxLite

/// A point in the virtual time of a test.
public typealias TestTime = Int

/// A virtual time scheduler for tests: makes hot and cold observables, and records what an operator does with them.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// let xs = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
/// let observer = scheduler.start { xs.map { $0 * 10 } }
/// // observer.events == [.next(210, 10), .next(220, 20), .completed(230)]
/// // xs.subscriptions == [Subscription(200, 230)]
/// ```
public class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
  // Sendable as the class above is: used by one thread at a time.

  /// The times that `start` uses unless told otherwise.
  public enum Defaults {
    /// When the sequence is made.
    public static let created = 100
    /// When it is subscribed to.
    public static let subscribed = 200
    /// When the subscription is disposed.
    public static let disposed = 1000
  }

  private let simulateProcessingDelay: Bool

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - initialClock: what the clock shows at first.
  ///   - resolution: the seconds of real time that one tick of the clock stands for.
  ///   - simulateProcessingDelay: whether what is scheduled for now, or for the past, runs one tick later.
  public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
    self.simulateProcessingDelay = simulateProcessingDelay
    super.init(
      initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
  }

  /// The time itself where it is in the future; otherwise now, or the next tick where processing takes time.
  public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
    time > clock ? time : clock + (simulateProcessingDelay ? 1 : 0)
  }

  /// Makes a sequence whose events happen at the given times, whoever is subscribed then.
  ///
  /// - Parameter events: what happens, and when.
  /// - Returns: the sequence.
  public func createHotObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .hot(events, scheduler: self)
  }

  /// Makes a sequence whose events happen anew for each subscription, at the given times after it.
  ///
  /// - Parameter events: what happens, and how long after the subscription.
  /// - Returns: the sequence.
  public func createColdObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .cold(events, scheduler: self)
  }

  /// Makes an observer that records what it receives, and when.
  ///
  /// - Parameter type: the type of the elements.
  /// - Returns: the observer.
  public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
    TestableObserver(scheduler: self)
  }

  /// Subscribes to a sequence now and records what it sends, without running the scheduler.
  ///
  /// So several sequences can be recorded side by side:
  ///
  /// ```swift
  /// let (names, counts) = (scheduler.record(model.names), scheduler.record(model.counts))
  /// scheduler.start()
  /// ```
  ///
  /// - Parameters:
  ///   - source: the sequence.
  ///   - disposed: when to dispose the subscription, 1000 as for `start` unless told otherwise: a sequence without end
  ///     does not keep the scheduler running for ever.
  /// - Returns: an observer that records all that is received.
  public func record<Source: ObservableConvertibleType>(
    _ source: Source, disposed: TestTime = Defaults.disposed
  ) -> TestableObserver<Source.Element> {
    let observer = createObserver(Source.Element.self)
    let subscription = source.asObservable().subscribe(observer)
    scheduleAt(disposed) { subscription.dispose() }
    return observer
  }

  /// Schedules an action for a virtual time.
  ///
  /// - Parameters:
  ///   - time: when to run; not adjusted.
  ///   - action: what to do.
  public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
    _ = scheduleAbsoluteVirtual((), time: time) { _ in
      action()
      return Disposables.create()
    }
  }

  /// Makes a sequence, subscribes to it, disposes the subscription, and runs the scheduler to the end.
  ///
  /// - Parameters:
  ///   - created: when to call `create`.
  ///   - subscribed: when to subscribe.
  ///   - disposed: when to dispose.
  ///   - create: makes the sequence.
  /// - Returns: an observer that recorded all that was received.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    created: TestTime, subscribed: TestTime, disposed: TestTime, create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    var source: Observable<Element>?
    var subscription: (any Disposable)?
    let observer = createObserver(Element.self)

    scheduleAt(created) { source = create().asObservable() }
    scheduleAt(subscribed) { subscription = source?.subscribe(observer) }
    scheduleAt(disposed) { subscription?.dispose() }
    start()

    return observer
  }

  /// Makes a sequence at 100, subscribes at 200, disposes when told, and runs the scheduler to the end.
  ///
  /// - Parameters:
  ///   - disposed: when to dispose.
  ///   - create: makes the sequence.
  /// - Returns: an observer that recorded all that was received.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    disposed: TestTime, create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    start(
      created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
  }

  /// Makes a sequence at 100, subscribes at 200, disposes at 1000, and runs the scheduler to the end.
  ///
  /// - Parameter create: makes the sequence.
  /// - Returns: an observer that recorded all that was received.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    _ create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    start(disposed: Defaults.disposed, create: create)
  }
}
