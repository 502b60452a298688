import Dispatch
import ReactiveNetworkLock
import RxLite
import Testing

@Suite("Intervals as durations")
struct RxTimeIntervalSecondsTests {
  @Test(
    "an interval of any unit is the duration of the same length",
    arguments: [
      (.seconds(2), .seconds(2)), (.milliseconds(1300), .milliseconds(1300)),
      (.microseconds(7), .microseconds(7)), (.nanoseconds(-3), .nanoseconds(-3)),
    ] as [(RxTimeInterval, Duration)])
  func units(interval: RxTimeInterval, duration: Duration) {
    #expect(Duration(interval) == duration)
  }

  @Test("an interval that never ends is the longest duration")
  func never() {
    #expect(Duration(.never) == .inSeconds(.infinity))
  }
}
