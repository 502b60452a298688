import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("subscribe(on:)", .timeLimit(.minutes(5)))
struct SubscribeOnTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func subscribed(
    _ source: some ObservableType<Int>, disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) { source.subscribe(on: scheduler) }.events
  }

  @Test("subscribing and disposing take a step each, events take none")
  func completed() {
    let source = scheduler.hot(.next(150, 1), .next(210, 2), .completed(300))
    #expect(subscribed(source) == [.next(210, 2), .completed(300)])
    #expect(source.subscriptions == [Subscription(201, 301)])
  }

  @Test("the resources of an operator are released when it ends, without a step")
  func ownEnd() {
    let source = scheduler.hot(.next(210, 2), .next(220, 3), .completed(300))
    #expect(subscribed(source.take(1)) == [.next(210, 2), .completed(210)])
    #expect(source.subscriptions == [Subscription(201, 210)])
  }

  @Test("an error is forwarded")
  func error() {
    let source = scheduler.hot(.next(210, 2), .error(300, TestError.one))
    #expect(subscribed(source) == [.next(210, 2), .error(300, TestError.one)])
    #expect(source.subscriptions == [Subscription(201, 301)])
  }

  @Test("disposal is scheduled too")
  func disposed() {
    let source = scheduler.hot(.next(150, 1), .next(210, 2))
    #expect(subscribed(source) == [.next(210, 2)])
    #expect(source.subscriptions == [Subscription(201, 1001)])
  }

  @Test("nothing is delivered between disposal and its step on the scheduler")
  func disposedMeanwhile() {
    let source = scheduler.hot(.next(210, 1), .next(301, 2))
    var mapped: [Int] = []
    let observer = scheduler.start(disposed: 300) {
      source.subscribe(on: scheduler).map { mapped.append($0) }.map { 0 }
    }
    #expect(observer.events == [.next(210, 0)])
    #expect(mapped == [1])
    #expect(source.subscriptions == [Subscription(201, 301)])
  }

  @Test("a source that sends after its disposal, during its subscription, is disposed in a step too")
  func disposedDuringSubscription() {
    let source = scheduler.hot(.next(210, 3))
    let observer = scheduler.start { source.startWith(1, 2).subscribe(on: scheduler).take(1) }
    #expect(observer.events == [.next(201, 1), .completed(201)])
    #expect(source.subscriptions == [Subscription(201, 202)])
  }

  @Test("a source that is disposed before its step is never subscribed to")
  func disposedAtOnce() {
    let source = scheduler.hot(.next(210, 1))
    scheduler.scheduleAt(200) { source.subscribe(on: scheduler).subscribe().dispose() }
    scheduler.start()
    #expect(source.subscriptions == [])
  }

  @Test("a source that ends at once is disposed at once")
  func atOnce() {
    var log: [String] = []
    let source = Observable<Int>.create { observer in
      log.append("subscribed \(scheduler.clock)")
      observer.onCompleted()
      return Disposables.create { log.append("disposed \(scheduler.clock)") }
    }
    #expect(subscribed(source) == [.completed(201)])
    #expect(log == ["subscribed 201", "disposed 201"])
  }

  @Test("an endless source can be disposed while it is being subscribed")
  func endless() {
    let background = SerialDispatchQueueScheduler(qos: .default)
    let (recorder, semaphore) = (RecordingObserver<Int>(), TestSemaphore())
    _ = Observable.from(sequence(first: 0) { $0 + 1 })
      .subscribe(on: background).take(3)
      .subscribe { event in
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
    #expect(semaphore.wait())
    #expect(recorder.events == [.next(0), .next(1), .next(2), .completed])
  }

  @Test("the source is subscribed to and disposed on the queue")
  func onQueue() {
    let marked = MarkedQueue("subscribe")
    let background = SerialDispatchQueueScheduler(queue: marked.queue, internalSerialQueueName: "subscribe")
    let (log, semaphore) = (Log(), TestSemaphore())
    let subscription = Observable<Int>.create { observer in
      log.add("subscribed on the queue: \(marked.isCurrent)")
      semaphore.signal()
      return Disposables.create {
        log.add("disposed on the queue: \(marked.isCurrent)")
        semaphore.signal()
      }
    }
    .subscribe(on: background).subscribe()
    #expect(semaphore.wait())
    subscription.dispose()
    #expect(semaphore.wait())
    #expect(log.lines == ["subscribed on the queue: true", "disposed on the queue: true"])
  }

  @Test("an endless source that is disposed while it is being subscribed frees the scheduler")
  func endlessEnds() {
    let background = SerialDispatchQueueScheduler(qos: .default)
    let (ended, free) = (TestSemaphore(), TestSemaphore())
    _ = Observable.from(sequence(first: 0) { $0 + 1 })
      .subscribe(on: background).take(3).subscribe(onCompleted: ended.signal)
    #expect(ended.wait())
    _ = background.schedule(()) {
      free.signal()
      return Disposables.create()
    }
    #expect(free.wait())
  }
}
