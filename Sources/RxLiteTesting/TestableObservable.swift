public import RxLite

/// A sequence of given events that records when it was subscribed to and when it was let go.
///
/// It hands out its events as they are given, even against the Rx grammar, so that a test can tell what an
/// operator makes of them.
public class TestableObservable<Element>: ObservableType {
  /// Starts delivering to an observer; what it returns ends that.
  typealias Attach = (AnyObserver<Element>) -> any Disposable

  /// When each subscription began and ended, in the order in which they began.
  public private(set) var subscriptions: [Subscription] = []

  /// The events, as they were given.
  public let recordedEvents: [Recorded<Event<Element>>]

  private let scheduler: TestScheduler
  private let attach: Attach

  init(
    _ recordedEvents: [Recorded<Event<Element>>], scheduler: TestScheduler, attach: @escaping Attach
  ) {
    self.recordedEvents = recordedEvents
    self.scheduler = scheduler
    self.attach = attach
  }

  /// Subscribes an observer and records the time.
  ///
  /// - Parameter observer: receives the events.
  /// - Returns: the subscription; disposing it records the time.
  public func subscribe<Observer: ObserverType>(
    _ observer: Observer
  ) -> any Disposable where Observer.Element == Element {
    let index = subscriptions.count
    subscriptions.append(Subscription(scheduler.clock))
    let attachment = attach(AnyObserver(observer))
    return Disposables.create(with: {
      attachment.dispose()
      self.subscriptions[index] = Subscription(self.subscriptions[index].subscribe, self.scheduler.clock)
    })
  }
}
