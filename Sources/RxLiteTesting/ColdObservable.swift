import RxLite

extension TestableObservable {
  /// A sequence whose events happen for each subscription, counted from it.
  static func cold(
    _ recordedEvents: [Recorded<Event<Element>>], scheduler: TestScheduler
  ) -> TestableObservable {
    TestableObservable(recordedEvents, scheduler: scheduler) { observer in
      let deliveries = recordedEvents.map { event in
        scheduler.scheduleRelativeVirtual((), dueTime: event.time) { _ in
          observer.on(event.value)
          return Disposables.create()
        }
      }
      return Disposables.create(deliveries)
    }
  }
}
