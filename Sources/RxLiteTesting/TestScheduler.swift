public import RxLite

/// A point in the virtual time of a test.
public typealias TestTime = Int

/// A virtual-time scheduler for tests that creates hot and cold observables and records the events of
/// sequences.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// let xs = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
/// let observer = scheduler.start { xs.map { $0 * 10 } }
/// // observer.events == [.next(210, 10), .next(220, 20), .completed(230)]
/// // xs.subscriptions == [Subscription(200, 230)]
/// ```
public class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
  // Sendable for the same reason as the superclass: only one thread at a time uses it.

  /// The default times of `start`.
  public enum Defaults {
    /// The time at which the sequence is created.
    public static let created = 100
    /// The time of the subscription.
    public static let subscribed = 200
    /// The time of the disposal.
    public static let disposed = 1000
  }

  private let simulateProcessingDelay: Bool

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - initialClock: the initial time of the clock.
  ///   - resolution: the length of one tick in seconds of real time.
  ///   - simulateProcessingDelay: whether actions that are scheduled for now, or for the past, run one tick
  ///     later.
  public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
    self.simulateProcessingDelay = simulateProcessingDelay
    super.init(
      initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
  }

  /// Returns `time` if it is in the future, otherwise now, or the next tick if processing delays are
  /// simulated.
  ///
  /// There is no tick after `TestTime.max`, so work that repeats itself there does not end.
  public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
    time > clock ? time : clock + (simulateProcessingDelay && clock < .max ? 1 : 0)
  }

  /// Creates a sequence whose events occur at fixed times, for the observers subscribed at that time.
  ///
  /// - Parameter events: the events and their times.
  /// - Returns: the sequence.
  public func createHotObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .hot(events, scheduler: self)
  }

  /// Creates a sequence whose events occur for each subscription, at times relative to it.
  ///
  /// - Parameter events: the events and their times after the subscription.
  /// - Returns: the sequence.
  public func createColdObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .cold(events, scheduler: self)
  }

  /// Creates an observer that records events and their times.
  ///
  /// - Parameter type: the type of the elements.
  /// - Returns: the observer.
  public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
    TestableObserver(scheduler: self)
  }

  /// Subscribes to a sequence now and records its events, without running the scheduler.
  ///
  /// Several sequences can be recorded at the same time:
  ///
  /// ```swift
  /// let (names, counts) = (scheduler.record(model.names), scheduler.record(model.counts))
  /// scheduler.start()
  /// ```
  ///
  /// - Parameters:
  ///   - source: the sequence.
  ///   - disposed: the time of the disposal, by default 1000 as for `start`, so that an endless sequence does
  ///     not keep the scheduler running.
  /// - Returns: an observer that records all events.
  public func record<Source: ObservableConvertibleType>(
    _ source: Source, disposed: TestTime = Defaults.disposed
  ) -> TestableObserver<Source.Element> {
    let observer = createObserver(Source.Element.self)
    let subscription = source.asObservable().subscribe(observer)
    scheduleAt(disposed) { subscription.dispose() }
    return observer
  }

  /// Schedules an action to run at a virtual time.
  ///
  /// - Parameters:
  ///   - time: the time, which is not adjusted.
  ///   - action: the work.
  public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
    let run = uncheckedSendable {
      action()
      return Disposables.create()
    }
    _ = scheduleAbsoluteVirtual((), time: time, action: run)
  }

  /// Creates a sequence, subscribes to it, disposes the subscription, and runs the scheduler to the end.
  ///
  /// - Parameters:
  ///   - created: the time to call `create`.
  ///   - subscribed: the time of the subscription.
  ///   - disposed: the time of the disposal.
  ///   - create: returns the sequence.
  /// - Returns: an observer that recorded all events.
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

  /// Creates a sequence at 100, subscribes at 200, disposes at a given time, and runs the scheduler to the
  /// end.
  ///
  /// - Parameters:
  ///   - disposed: the time of the disposal.
  ///   - create: returns the sequence.
  /// - Returns: an observer that recorded all events.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    disposed: TestTime, create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    start(
      created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
  }

  /// Creates a sequence at 100, subscribes at 200, disposes at 1000, and runs the scheduler to the end.
  ///
  /// - Parameter create: returns the sequence.
  /// - Returns: an observer that recorded all events.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    _ create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    start(disposed: Defaults.disposed, create: create)
  }
}
