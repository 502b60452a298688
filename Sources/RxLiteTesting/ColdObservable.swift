import RxLite

extension TestableObservable {
  /// A sequence whose events happen for each subscription, counted from it.
  static func cold(
    _ recordedEvents: [Recorded<Event<Element>>], scheduler: TestScheduler
  ) -> TestableObservable {
    TestableObservable(recordedEvents, scheduler: scheduler) { observer in
      let isDisposed = BooleanDisposable()
      for event in recordedEvents {
        // Not taken back by disposal: the clock runs to the last event, whoever is still there for it.
        _ = scheduler.scheduleRelativeVirtual((), dueTime: event.time) { _ in
          if !isDisposed.isDisposed { observer.on(event.value) }
          return Disposables.create()
        }
      }
      return isDisposed
    }
  }
}
