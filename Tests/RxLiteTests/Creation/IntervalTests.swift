import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("interval", .timeLimit(.minutes(5)))
struct IntervalTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("it counts from zero, first after one period")
  func interval() {
    let observer = scheduler.start { Observable<Int>.interval(.seconds(100), scheduler: scheduler) }
    #expect(
      observer.events == [
        .next(300, 0), .next(400, 1), .next(500, 2), .next(600, 3), .next(700, 4), .next(800, 5),
        .next(900, 6),
      ])
  }

  @Test("with a period of zero or less, it ticks in every step")
  func zeroInterval() {
    for period in [0, -1] {
      let scheduler = TestScheduler(initialClock: 0)
      let observer = scheduler.start(disposed: 205) {
        Observable<Int>.interval(.seconds(period), scheduler: scheduler)
      }
      #expect(observer.events == [.next(201, 0), .next(202, 1), .next(203, 2), .next(204, 3)])
    }
  }

  @Test("a period of .never does nothing")
  func never() {
    #expect(scheduler.start { Observable<Int>.interval(.never, scheduler: scheduler) }.events == [])
  }

  @Test("it stops when its own element disposes it")
  func disposedInside() {
    let observer = scheduler.start { Observable<Int>.interval(.seconds(10), scheduler: scheduler).take(2) }
    #expect(observer.events == [.next(210, 0), .next(220, 1), .completed(220)])
    #expect(scheduler.clock == 1000)
  }

  @Test("the count wraps around")
  func overflow() {
    let last = scheduler.start {
      Observable<Int8>.interval(.seconds(1), scheduler: scheduler).skip(127).take(2)
    }
    #expect(last.events == [.next(328, 127), .next(329, -128), .completed(329)])
  }

  @Test("each subscriber has its own interval")
  func cold() {
    let interval = Observable<Int>.interval(.seconds(10), scheduler: scheduler)
    let (early, late) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    let bag = DisposeBag()
    scheduler.scheduleAt(100) { interval.take(2).subscribe(early).disposed(by: bag) }
    scheduler.scheduleAt(105) { interval.take(1).subscribe(late).disposed(by: bag) }
    scheduler.start()
    #expect(early.events == [.next(110, 0), .next(120, 1), .completed(120)])
    #expect(late.events == [.next(115, 0), .completed(115)])
  }

  @Test("it ticks on a dispatch queue until it is disposed")
  func onQueue() {
    let marked = MarkedQueue("interval")
    let background = SerialDispatchQueueScheduler(queue: marked.queue, internalSerialQueueName: "ticks")
    let (recorder, semaphore, log) = (RecordingObserver<Int>(), TestSemaphore(), Log())
    let subscription = Observable<Int>.interval(.milliseconds(1), scheduler: background).take(20)
      .subscribe { event in
        if !marked.isCurrent { log.add("\(event) arrived elsewhere") }
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
    #expect(semaphore.wait())
    #expect(recorder.events == (0..<20).map { .next($0) } + [.completed])
    #expect(log.lines == [])
    subscription.dispose()
  }
}
