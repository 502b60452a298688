import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("debounce", .timeLimit(.minutes(5)))
struct DebounceTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func debounce(
    _ source: some ObservableType<Int>, _ seconds: Int, disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) { source.debounce(.seconds(seconds), scheduler: scheduler) }.events
  }

  @Test("elements that are followed by silence arrive at its end")
  func allPass() {
    let source = scheduler.hot(
      .next(150, 1), .next(210, 2), .next(240, 3), .next(270, 4), .next(300, 5), .completed(400))
    #expect(
      debounce(source, 20) == [
        .next(230, 2), .next(260, 3), .next(290, 4), .next(320, 5), .completed(400),
      ])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test("an element that is followed too soon is dropped")
  func someDrop() {
    let source = scheduler.hot(
      .next(210, 1), .next(220, 2), .next(229, 3), .next(250, 4), .next(300, 5), .completed(350))
    #expect(debounce(source, 10) == [.next(239, 3), .next(260, 4), .next(310, 5), .completed(350)])
    #expect(source.subscriptions == [Subscription(200, 350)])
  }

  @Test("completion forwards the waiting element at once")
  func flush() {
    let source = scheduler.hot(
      .next(210, 1), .next(240, 2), .next(270, 3), .next(300, 4), .next(330, 5), .completed(350))
    #expect(debounce(source, 40) == [.next(350, 5), .completed(350)])
    #expect(source.subscriptions == [Subscription(200, 350)])
  }

  @Test("an error drops the waiting element")
  func error() {
    let source = scheduler.hot(.next(210, 1), .next(260, 2), .error(270, TestError.one))
    #expect(debounce(source, 40) == [.next(250, 1), .error(270, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 270)])
  }

  @Test("an empty source completes, a failing one fails, a silent one stays silent")
  func withoutElements() {
    let empty = scheduler.hot(.next(150, 1), .completed(250))
    #expect(debounce(empty, 10) == [.completed(250)])
    #expect(empty.subscriptions == [Subscription(200, 250)])

    let silent = TestScheduler(initialClock: 0)
    let never = silent.hot(.next(150, 1))
    #expect(silent.start { never.debounce(.seconds(10), scheduler: silent) }.events == [])
    #expect(never.subscriptions == [Subscription(200, 1000)])
  }

  @Test("with a due time of zero, elements arrive one step later")
  func zero() {
    let source = scheduler.hot(.next(210, 1), .next(210, 2), .next(211, 3), .completed(300))
    #expect(debounce(source, 0) == [.next(212, 3), .completed(300)])
  }

  @Test("disposal cancels the timer")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(250, 2), .completed(400))
    #expect(debounce(source, 20, disposed: 260) == [.next(230, 1)])
    #expect(source.subscriptions == [Subscription(200, 260)])
    #expect(scheduler.clock == 400)
  }

  @Test("an element sent by the observer is debounced too")
  func reentrant() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = subject.debounce(.seconds(10), scheduler: scheduler).subscribe { event in
      observer.on(event)
      if let element = event.element, element < 3 { subject.onNext(element + 1) }
    }
    scheduler.scheduleAt(100) { subject.onNext(1) }
    scheduler.start()
    #expect(observer.events == [.next(110, 1), .next(120, 2), .next(130, 3)])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test("dropped elements are released")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    let feed = SingleObserverSource<TrackedObject>()
    let subscription = feed.observable.debounce(.seconds(10), scheduler: scheduler).subscribe()
    for index in 0..<3 { feed.send(.next(TrackedObject(index, in: liveCount))) }
    #expect(liveCount.value == 1)
    subscription.dispose()
    #expect(liveCount.value == 0)
  }

  @Test("an element may send another one from its deinitializer")
  func sendingDeinit() {
    final class DeinitSender {
      let subject: PublishSubject<DeinitSender?>
      init(_ subject: PublishSubject<DeinitSender?>) { self.subject = subject }
      deinit { subject.onNext(nil) }
    }
    let subject = PublishSubject<DeinitSender?>()
    let observer = scheduler.createObserver(Bool.self)
    let subscription = subject.debounce(.seconds(10), scheduler: scheduler).map { $0 != nil }
      .subscribe(observer)
    scheduler.scheduleAt(100) { subject.onNext(DeinitSender(subject)) }
    scheduler.scheduleAt(105) { subject.onNext(DeinitSender(subject)) }
    scheduler.start()
    // The deinitializer of the first element, at 105, is the last to send before the silence; the second is
    // released when it is dropped.
    #expect(observer.events == [.next(115, false)])
    subscription.dispose()
  }

  @Test("20,000 elements cost little")
  func many() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = subject.debounce(.seconds(5), scheduler: scheduler).subscribe(observer)
    for index in 1...20_000 { scheduler.scheduleAt(index) { subject.onNext(index) } }
    scheduler.start()
    #expect(observer.events == [.next(20_005, 20_000)])
    subscription.dispose()
  }

  @Test("elements and completion of another thread than the timer's arrive one at a time")
  func threads() {
    let background = ConcurrentDispatchQueueScheduler(qos: .default)
    for round in 0..<200 {
      let (subject, recorder, semaphore) = (PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore())
      _ = subject.debounce(.microseconds(round), scheduler: background).subscribe { event in
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
      for element in 0..<20 { subject.onNext(element) }
      subject.onCompleted()
      #expect(semaphore.wait())
      #expect(recorder.overlaps == 0)
      #expect(recorder.elements.last == 19 && recorder.elements == recorder.elements.sorted())
      #expect(recorder.events.filter(\.isStopEvent).count == 1 && recorder.events.last == .completed)
    }
  }

  @Test("on a dispatch queue, the last element of each burst arrives")
  func bursts() throws {
    let (subject, results) = (PublishSubject<Int>(), ReplaySubject<Int>.createUnbounded())
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let subscription = subject.debounce(.milliseconds(5), scheduler: scheduler).subscribe(results)
    for last in [999, 1_999, 2_999] {
      for element in (last - 999)...last { subject.onNext(element) }
      #expect(try results.filter { $0 == last }.toBlocking().first() == last)
    }
    subscription.dispose()
  }

  @Test("on a dispatch queue, an element waits for its own time although an earlier one's time is up")
  func movedDeadline() {
    let (queue, semaphore, early) = (DispatchQueue(label: "blocked"), TestSemaphore(), Log())
    let background = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "blocked too")
    let subject = PublishSubject<UInt64>()
    let subscription = subject.debounce(.milliseconds(50), scheduler: background).subscribe(onNext: { sent in
      let passed = DispatchTime.now().uptimeNanoseconds - sent
      if passed < 50_000_000 { early.add("an element came after \(passed) ns") }
      semaphore.signal()
    })
    queue.suspend()
    let start = DispatchTime.now()
    subject.onNext(start.uptimeNanoseconds)
    // Until the first timer is due, which cannot fire yet.
    while DispatchTime.now() < start + .milliseconds(60) {}
    subject.onNext(DispatchTime.now().uptimeNanoseconds)
    queue.resume()
    #expect(semaphore.wait())
    #expect(early.lines == [])
    subscription.dispose()
  }
}
