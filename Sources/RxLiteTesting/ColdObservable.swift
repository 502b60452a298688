import RxLite

extension TestableObservable {
  /// Returns a sequence whose events occur for each subscription, at times relative to it.
  static func cold(
    _ recordedEvents: [Recorded<Event<Element>>], scheduler: TestScheduler
  ) -> TestableObservable {
    TestableObservable(recordedEvents, scheduler: scheduler) { observer in
      let isDisposed = BooleanDisposable()
      for event in recordedEvents {
        // Disposal does not cancel the action: the clock runs to the last event, even if no observer is
        // subscribed any more.
        let send = uncheckedSendable {
          if !isDisposed.isDisposed { observer.on(event.value) }
          return Disposables.create()
        }
        _ = scheduler.scheduleRelativeVirtual((), dueTime: event.time, action: send)
      }
      return isDisposed
    }
  }
}
