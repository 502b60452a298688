import Dispatch
import Foundation
import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("schedulePeriodic of a scheduler without its own implementation", .timeLimit(.minutes(5)))
struct PeriodicSchedulingTests {
  @Test("runs on a concurrent scheduler never overlap, none is lost, and each gets the latest state")
  func concurrent() {
    let count = 500
    let recorder = RecordingObserver<Int>()
    let semaphore = TestSemaphore()
    let subscription = ConcurrentScheduler().schedulePeriodic(
      0, startAfter: .nanoseconds(0), period: .nanoseconds(0)
    ) { state in
      if state < count { recorder.on(.next(state)) }
      if state == count { semaphore.signal() }
      return state + 1
    }
    #expect(semaphore.wait())
    subscription.dispose()
    #expect(recorder.overlaps == 0)
    #expect(recorder.elements == Array(0..<count))
  }

  @Test("a run that becomes due during another one follows it")
  func late() {
    let scheduler = ManualScheduler()
    var runs: [String] = []
    let subscription = scheduler.schedulePeriodic(1, startAfter: .seconds(1), period: .seconds(1)) { state in
      runs.append("begin \(state)")
      if state == 1 { for _ in 0..<2 { scheduler.runNext() } }
      runs.append("end \(state)")
      return state + 1
    }
    scheduler.runNext()
    #expect(runs == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    subscription.dispose()
  }

  @Test("disposal from inside a run drops the runs that have become due meanwhile")
  func disposedInside() {
    let scheduler = ManualScheduler()
    var runs = 0
    let subscription = SingleAssignmentDisposable()
    subscription.setDisposable(
      scheduler.schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) {
        runs += 1
        for _ in 0..<2 { scheduler.runNext() }
        subscription.dispose()
      })
    scheduler.runNext()
    scheduler.runNext()
    #expect(runs == 1)
  }

  @Test("nothing is kept after disposal, although the disposable is")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    let scheduler = TestScheduler(initialClock: 0)
    let virtual: any Disposable
    do {
      let tracked = TrackedObject(in: liveCount)
      virtual = scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) {
        $0 + tracked.value
      }
      scheduler.advanceTo(3)
    }
    virtual.dispose()
    #expect(liveCount.value == 0)
    withExtendedLifetime(virtual) {}
  }
}

/// Runs every action on a concurrent queue; implements only the requirements of the protocol.
private struct ConcurrentScheduler: SchedulerType {
  private let scheduler = ConcurrentDispatchQueueScheduler(
    queue: DispatchQueue(label: "test.concurrent", attributes: .concurrent))

  var now: RxTime { scheduler.now }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduler.schedule(state, action: action)
  }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduler.schedule(state, action: action)
  }
}
