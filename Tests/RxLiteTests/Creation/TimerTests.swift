import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("timer", .timeLimit(.minutes(5)))
struct TimerTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("a timer sends zero and completes")
  func timer() {
    let observer = scheduler.start { Observable<Int>.timer(.seconds(300), scheduler: scheduler) }
    #expect(observer.events == [.next(500, 0), .completed(500)])
  }

  @Test("a timer with a due time of zero or less fires in the next step")
  func zeroTimer() {
    for dueTime in [0, -5] {
      let scheduler = TestScheduler(initialClock: 0)
      let observer = scheduler.start { Observable<Int>.timer(.seconds(dueTime), scheduler: scheduler) }
      #expect(observer.events == [.next(201, 0), .completed(201)])
    }
  }

  @Test("a timer with a period continues to count")
  func periodic() {
    let observer = scheduler.start(disposed: 350) {
      Observable<Int>.timer(.seconds(50), period: .seconds(40), scheduler: scheduler)
    }
    #expect(observer.events == [.next(250, 0), .next(290, 1), .next(330, 2)])
  }

  @Test("a disposed timer never fires")
  func disposed() {
    let observer = scheduler.start(disposed: 300) {
      Observable<Int>.timer(.seconds(100), scheduler: scheduler)
    }
    #expect(observer.events == [])
  }

  @Test("a timer keeps nothing after it has fired or was disposed")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    for disposed in [false, true] {
      let tracked = TrackedObject(in: liveCount)
      let subscription = Observable<Int>.timer(.seconds(10), scheduler: scheduler)
        .subscribe(onNext: { _ in _ = tracked })
      if disposed { subscription.dispose() }
    }
    scheduler.start()
    #expect(liveCount.value == 0)
  }

  @Test("a timer fires on a dispatch queue although its disposable is released")
  func timerOnQueue() {
    let (recorder, semaphore) = (RecordingObserver<Int>(), TestSemaphore())
    _ = Observable<Int>.timer(.milliseconds(1), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
      .subscribe { event in
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
    #expect(semaphore.wait())
    #expect(recorder.events == [.next(0), .completed])
  }
}
