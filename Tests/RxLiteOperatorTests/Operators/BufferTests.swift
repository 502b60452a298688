import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("buffer(timeSpan:count:)", .timeLimit(.minutes(5)))
struct BufferTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source(_ stop: Recorded<Event<Int>> = .completed(600)) -> TestableObservable<Int> {
    scheduler.hot(
      .next(105, 0), .next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4), .next(320, 5), .next(350, 6),
      .next(370, 7), .next(420, 8), .next(470, 9), stop)
  }

  private static let arrays: [Recorded<Event<[Int]>>] = [
    .next(240, [1, 2, 3]), .next(310, [4]), .next(370, [5, 6, 7]), .next(440, [8]), .next(510, [9]),
    .next(580, []),
  ]

  @Test("an array is sent when it is full or the time is up, and the rest on completion")
  func basic() {
    let source = source()
    let observer = scheduler.start { source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) }
    #expect(observer.events == Self.arrays + [.next(600, []), .completed(600)])
    #expect(source.subscriptions == [Subscription(200, 600)])
  }

  @Test("an error drops the collected elements")
  func error() {
    let source = source(.error(600, TestError.one))
    let observer = scheduler.start { source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler) }
    #expect(observer.events == Self.arrays + [.error(600, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 600)])
  }

  @Test("disposal ends it")
  func disposed() {
    let source = source()
    let observer = scheduler.start(disposed: 370) {
      source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler)
    }
    #expect(observer.events == Array(Self.arrays[..<3]))
    #expect(source.subscriptions == [Subscription(200, 370)])
  }

  @Test("without a count, only the time completes an array")
  func timeAlone() {
    let source = source(.completed(300))
    let observer = scheduler.start { source.buffer(timeSpan: .seconds(70), count: 0, scheduler: scheduler) }
    #expect(observer.events == [.next(270, [1, 2, 3]), .next(300, [4]), .completed(300)])
  }

  @Test("filling the next array from inside the delivery of one keeps the order and the timer")
  func reentrant() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver([Int].self)
    scheduler.scheduleAt(200) {
      _ = subject.buffer(timeSpan: .seconds(70), count: 2, scheduler: scheduler).subscribe { event in
        observer.on(event)
        if event.element == [1, 2] { for element in 3...5 { subject.onNext(element) } }
      }
    }
    scheduler.scheduleAt(210) {
      subject.onNext(1)
      subject.onNext(2)
    }
    scheduler.scheduleAt(300) { subject.onCompleted() }
    scheduler.start()
    #expect(
      observer.events == [
        .next(210, [1, 2]), .next(210, [3, 4]), .next(280, [5]), .next(300, []), .completed(300),
      ])
  }

  @Test("filling the next array from inside one whose time was up does not stop the timer")
  func reentrantTimeUp() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver([Int].self)
    scheduler.scheduleAt(200) {
      _ = subject.buffer(timeSpan: .seconds(70), count: 2, scheduler: scheduler).subscribe { event in
        observer.on(event)
        if event.element == [1] { for element in 2...3 { subject.onNext(element) } }
      }
    }
    scheduler.scheduleAt(210) { subject.onNext(1) }
    scheduler.scheduleAt(300) { subject.onNext(4) }
    scheduler.scheduleAt(400) { subject.onCompleted() }
    scheduler.start()
    #expect(
      observer.events == [
        .next(270, [1]), .next(270, [2, 3]), .next(340, [4]), .next(400, []), .completed(400),
      ])
  }

  @Test("on a dispatch queue every element is sent once, in order")
  func threads() {
    let queue = SerialDispatchQueueScheduler(qos: .default)
    let (subject, recorder, ended) = (
      PublishSubject<Int>(), RecordingObserver<[Int]>(), DispatchSemaphore(value: 0)
    )
    _ = subject.buffer(timeSpan: .microseconds(50), count: 7, scheduler: queue)
      .do(afterCompleted: { ended.signal() }).subscribe(recorder)
    for element in 0..<5_000 { subject.onNext(element) }
    subject.onCompleted()
    ended.wait()
    #expect(recorder.overlaps == 0)
    #expect(recorder.elements.flatMap { $0 } == Array(0..<5_000))
    #expect(recorder.events.last?.isCompleted == true)
  }

  @Test("an observer that disposes from inside an array leaves no timer behind", arguments: [2, 0])
  func disposedInside(count: Int) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2))
    let observer = scheduler.createObserver([Int].self)
    scheduler.scheduleAt(200) {
      _ = source.buffer(timeSpan: .seconds(70), count: count, scheduler: scheduler).take(1)
        .subscribe(observer)
    }
    // Not `start()`: a leftover timer would start the next one without end.
    scheduler.advanceTo(1000)
    let time = count == 2 ? 220 : 270
    #expect(observer.events == [.next(time, [1, 2]), .completed(time)])
    #expect(scheduler.debugDescription == "VirtualTimeScheduler(clock: 1000, pending: [])")
  }

  @Test("a full array cancels its timer")
  func timerTakenBack() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2))
    let subscription = SerialDisposable()
    scheduler.scheduleAt(200) {
      subscription.disposable = source.buffer(timeSpan: .seconds(70), count: 2, scheduler: scheduler)
        .subscribe()
    }
    scheduler.advanceTo(225)
    #expect(scheduler.debugDescription == "VirtualTimeScheduler(clock: 225, pending: [290])")
    subscription.dispose()
  }

  @Test("no timer runs while the stop event is delivered", arguments: [false, true])
  func timerAtTheEnd(isError: Bool) {
    let source = scheduler.hot(.next(210, 1), isError ? .error(220, TestError.one) : .completed(220))
    var pending: [String] = []
    scheduler.scheduleAt(200) {
      _ = source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler).subscribe { event in
        if event.isStopEvent { pending.append(scheduler.debugDescription) }
      }
    }
    scheduler.advanceTo(1000)
    #expect(pending == ["VirtualTimeScheduler(clock: 220, pending: [])"])
  }

  @Test("the last array is released when it is delivered")
  func lastArrayReleased() {
    let liveCount = TrackedObject.LiveCount()
    let feed = SingleObserverSource<TrackedObject>()
    var counts: [Int] = []
    let subscription = feed.observable.buffer(timeSpan: .seconds(70), count: 0, scheduler: scheduler)
      .subscribe { event in
        counts.append(liveCount.value)
        guard event.element?.isEmpty == true else { return }
        // Queued behind the delivery of the empty array, so that no caller holds the last array.
        feed.send(.next(TrackedObject(in: liveCount)))
        feed.send(.completed)
      }
    scheduler.advanceTo(100)
    #expect(counts == [0, 1, 0])
    subscription.dispose()
  }
}
