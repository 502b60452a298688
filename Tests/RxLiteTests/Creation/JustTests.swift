import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("just")
struct JustTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the element and completion are sent at each subscription")
  func atOnce() {
    let sequence = Observable.just(42)
    for _ in 1...2 {
      let recorder = RecordingObserver<Int>()
      _ = sequence.subscribe(recorder)
      #expect(recorder.events == [.next(42), .completed])
    }
    #expect(scheduler.start { Observable.just(42) }.events == [.next(200, 42), .completed(200)])
  }

  @Test("on a scheduler the element and completion take a step each")
  func scheduled() {
    let scheduler = scheduler
    let observer = scheduler.start { Observable.just(42, scheduler: scheduler) }
    #expect(observer.events == [.next(201, 42), .completed(202)])
  }

  @Test("disposal cancels the remaining steps", arguments: [200, 201, 202])
  func scheduledAndDisposed(time: TestTime) {
    let scheduler = scheduler
    var steps: [TestTime] = []
    let observer = scheduler.start(disposed: time) {
      Observable.just(42, scheduler: scheduler).do(
        onNext: { _ in steps.append(scheduler.clock) }, onCompleted: { steps.append(scheduler.clock) })
    }
    #expect(observer.events == (time > 201 ? [.next(201, 42)] : []))
    #expect(steps == (time > 201 ? [201] : []))
  }

  @Test("a disposal between the steps leaves nothing scheduled")
  func disposedBetweenTheSteps() {
    let subscription = Observable.just(42, scheduler: scheduler).subscribe()
    scheduler.advanceTo(1)
    subscription.dispose()
    #expect(scheduler.debugDescription == "VirtualTimeScheduler(clock: 1, pending: [])")
  }

  @Test("an operator may throw at the element")
  func throwing() {
    let observer = scheduler.start { Observable.just(42).map { _ -> Int in throw TestError.one } }
    #expect(observer.events == [.error(200, TestError.one)])
  }
}
