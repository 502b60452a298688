import RxLite

extension TestableObservable {
  /// Returns a sequence whose events occur once, for the observers that are subscribed at that time.
  ///
  /// - Parameters:
  ///   - recordedEvents: the events and their times.
  ///   - scheduler: provides the clock.
  ///   - prelude: called before each event.
  /// - Returns: the sequence.
  static func hot(
    _ recordedEvents: [Recorded<Event<Element>>], scheduler: TestScheduler,
    prelude: @escaping () -> Void = {}
  ) -> TestableObservable {
    let observers = HotObservers<Element>()
    for event in recordedEvents {
      scheduler.scheduleAt(event.time) {
        prelude()
        observers.send(event.value)
      }
    }
    return TestableObservable(recordedEvents, scheduler: scheduler, attach: observers.add)
  }
}

/// The observers of a hot sequence.
private final class HotObservers<Element> {
  private var members: [(key: Int, observer: AnyObserver<Element>)] = []
  private var nextKey = 0

  func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let key = nextKey
    nextKey += 1
    members.append((key, observer))
    return Disposables.create(with: uncheckedSendable { self.members.removeAll { $0.key == key } })
  }

  func send(_ event: Event<Element>) {
    // Iterates over a copy: an observer that is added during the delivery does not get this event.
    for member in members { member.observer.on(event) }
  }
}
