import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("scheduleRecursive")
struct RecursiveSchedulingTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("each call of recurse schedules a separate run")
  func several() {
    var runs: [Recorded<Int>] = []
    _ = scheduler.scheduleRecursive(3) { count, recurse in
      runs.append(Recorded(time: scheduler.clock, value: count))
      guard count > 1 else { return }
      recurse(count - 1)
      recurse(count - 2)
    }
    scheduler.start()
    let expected = [(1, 3), (2, 2), (2, 1), (3, 1), (3, 0)]
    #expect(runs == expected.map { Recorded(time: $0, value: $1) })
  }

  @Test("disposal cancels all scheduled runs")
  func disposed() {
    var runs: [TestTime] = []
    let subscription = scheduler.scheduleRecursive(()) { _, recurse in
      runs.append(scheduler.clock)
      recurse(())
      recurse(())
    }
    scheduler.advanceTo(2)
    subscription.dispose()
    scheduler.start()
    #expect(runs == [1, 2, 2])
  }

  @Test("a run that disposes itself is the last")
  func disposedInside() {
    var runs: [TestTime] = []
    let subscription = SingleAssignmentDisposable()
    subscription.setDisposable(
      scheduler.scheduleRecursive(()) { _, recurse in
        runs.append(scheduler.clock)
        recurse(())
        if runs.count == 3 { subscription.dispose() }
        recurse(())
      })
    scheduler.start()
    #expect(runs == [1, 2, 2])
  }

  @Test("a finished run is released")
  func released() {
    let liveCount = TrackedObject.LiveCount()
    let scheduler = ManualScheduler(liveCount)
    let subscription = scheduler.scheduleRecursive(()) { _, recurse in recurse(()) }
    for _ in 0..<10 { scheduler.runNext() }
    #expect(liveCount.value == 1)
    subscription.dispose()
    // Empties the queue, whose action keeps the scheduler.
    scheduler.runNext()
  }

  @Test("a run that the scheduler cannot cancel does nothing after disposal")
  func lateRun() {
    let scheduler = ManualScheduler()
    var runs = 0
    let subscription = scheduler.scheduleRecursive(()) { _, recurse in
      runs += 1
      recurse(())
    }
    scheduler.runNext()
    subscription.dispose()
    scheduler.runNext()
    #expect(runs == 1)
  }
}
