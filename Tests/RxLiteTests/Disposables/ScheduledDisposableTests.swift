import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("ScheduledDisposable")
struct ScheduledDisposableTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the content is disposed on the scheduler, once")
  func disposal() {
    var disposals: [Int] = []
    let scheduled = ScheduledDisposable(
      scheduler: scheduler, disposable: Disposables.create { disposals.append(scheduler.clock) })
    scheduler.scheduleAt(100) { scheduled.dispose() }
    scheduler.scheduleAt(100) { scheduled.dispose() }
    scheduler.scheduleAt(101) { #expect(!scheduled.isDisposed) }
    scheduler.start()
    #expect(disposals == [101])
    #expect(scheduled.isDisposed)
    #expect(scheduled.scheduler as? TestScheduler === scheduler)
  }

  @Test("the content is released with its disposal")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    let scheduled: ScheduledDisposable
    do {
      let tracked = TrackedObject(in: liveCount)
      scheduled = ScheduledDisposable(
        scheduler: scheduler, disposable: Disposables.create { _ = tracked.value })
    }
    #expect(liveCount.value == 1)
    scheduled.dispose()
    scheduler.start()
    #expect(liveCount.value == 0)
  }
}
