import RxLite

extension TestableObservable {
  /// A sequence whose events happen once, for those who are subscribed at that moment.
  ///
  /// - Parameters:
  ///   - recordedEvents: what happens, and when.
  ///   - scheduler: the clock.
  ///   - prelude: called before each event.
  /// - Returns: the sequence.
  static func hot(
    _ recordedEvents: [Recorded<Event<Element>>], scheduler: TestScheduler,
    prelude: @escaping () -> Void = {}
  ) -> TestableObservable {
    let audience = Audience<Element>()
    for event in recordedEvents {
      scheduler.scheduleAt(event.time) {
        prelude()
        audience.send(event.value)
      }
    }
    return TestableObservable(recordedEvents, scheduler: scheduler, attach: audience.add)
  }
}

/// Those who listen to a hot sequence.
private final class Audience<Element> {
  private var members: [(key: Int, observer: AnyObserver<Element>)] = []
  private var nextKey = 0

  func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let key = nextKey
    nextKey += 1
    members.append((key, observer))
    return Disposables.create(with: { self.members.removeAll { $0.key == key } })
  }

  func send(_ event: Event<Element>) {
    // The loop runs over the members as they are now: who joins during the delivery is too late for this event.
    for member in members { member.observer.on(event) }
  }
}
