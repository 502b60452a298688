import RxLite
import RxLiteTesting

extension TestScheduler {
  func hot(_ events: Recorded<Event<Int>>...) -> TestableObservable<Int> {
    createHotObservable(events)
  }

  func cold(_ events: Recorded<Event<Int>>...) -> TestableObservable<Int> {
    createColdObservable(events)
  }
}
