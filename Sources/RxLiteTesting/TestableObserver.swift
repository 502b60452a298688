public import RxLite

/// An observer that records what it receives, and when.
public final class TestableObserver<Element>: ObserverType {
  /// What was received, each event with its virtual time.
  public private(set) var events: [Recorded<Event<Element>>] = []

  private let scheduler: TestScheduler

  init(scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  /// Records an event.
  public func on(_ event: Event<Element>) {
    events.append(Recorded(time: scheduler.clock, value: event))
  }
}
