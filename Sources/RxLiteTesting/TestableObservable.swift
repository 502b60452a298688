public import RxLite

/// A sequence of given events that records the times of its subscriptions.
///
/// It sends its events as given, even if they violate the Rx grammar, so that tests can check how an operator
/// handles them.
public class TestableObservable<Element>: ObservableType {
  /// Starts the delivery to an observer; disposing the result ends it.
  typealias Attach = (AnyObserver<Element>) -> any Disposable

  /// The times at which each subscription began and ended, in the order in which they began.
  public private(set) var subscriptions: [Subscription] = []

  /// The events of the sequence.
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
    let attachment = attach(AnyObserver(erasing: observer))
    let end: @Sendable () -> Void = uncheckedSendable {
      attachment.dispose()
      self.subscriptions[index] = Subscription(self.subscriptions[index].subscribe, self.scheduler.clock)
    }
    return Disposables.create(with: end)
  }
}
