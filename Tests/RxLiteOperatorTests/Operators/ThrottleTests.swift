import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("throttle", .timeLimit(.minutes(5)))
struct ThrottleTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func throttle(
    _ source: some ObservableType<Int>, _ seconds: Int, latest: Bool = true, disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) {
      source.throttle(.seconds(seconds), latest: latest, scheduler: scheduler)
    }.events
  }

  private func busySource(_ end: Recorded<Event<Int>>...) -> TestableObservable<Int> {
    scheduler.createHotObservable(
      [
        .next(150, 1), .next(210, 2), .next(250, 3), .next(310, 4), .next(350, 5), .next(410, 6),
        .next(450, 7),
      ] + end)
  }

  @Test("the first element is forwarded at once, the latest of the others at the end of each span")
  func latest() {
    let source = busySource()
    #expect(throttle(source, 200) == [.next(210, 2), .next(410, 6), .next(610, 7)])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test("a held element is forwarded at the end of the span, which starts the next one")
  func held() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(900))
    #expect(throttle(source, 25) == [.next(210, 1), .next(235, 3), .next(260, 4), .completed(900)])
    #expect(source.subscriptions == [Subscription(200, 900)])
  }

  @Test("an element that the observer sends to the source from inside an element waits for the span")
  func feedback() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(200) {
      _ = subject.throttle(.seconds(20), scheduler: self.scheduler).subscribe { event in
        observer.on(event)
        if let element = event.element, element < 3 { subject.onNext(element + 1) }
      }
      subject.onNext(1)
    }
    scheduler.start()
    #expect(observer.events == [.next(200, 1), .next(220, 2), .next(240, 3)])
  }

  @Test("completion waits for the held element")
  func completed() {
    let source = busySource(.completed(500))
    #expect(throttle(source, 200) == [.next(210, 2), .next(410, 6), .next(610, 7), .completed(610)])
    #expect(source.subscriptions == [Subscription(200, 500)])
  }

  @Test("completion is forwarded at once when nothing is held")
  func completedIdle() {
    let source = busySource(.completed(900))
    #expect(throttle(source, 200) == [.next(210, 2), .next(410, 6), .next(610, 7), .completed(900)])
    #expect(source.subscriptions == [Subscription(200, 900)])
  }

  @Test("an error is forwarded at once and drops the held element")
  func error() {
    let source = busySource(.error(500, TestError.one))
    #expect(throttle(source, 200) == [.next(210, 2), .next(410, 6), .error(500, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 500)])
  }

  @Test("without latest only the first element of each span is forwarded")
  func first() {
    let source = busySource()
    #expect(throttle(source, 200, latest: false) == [.next(210, 2), .next(410, 6)])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test("without latest completion and errors are forwarded at once")
  func firstEnds() {
    let source = busySource(.completed(500))
    #expect(throttle(source, 200, latest: false) == [.next(210, 2), .next(410, 6), .completed(500)])
    #expect(source.subscriptions == [Subscription(200, 500)])

    let other = TestScheduler(initialClock: 0)
    let failing = other.hot(.next(210, 2), .next(250, 3), .error(260, TestError.one))
    let observer = other.start { failing.throttle(.seconds(200), latest: false, scheduler: other) }
    #expect(observer.events == [.next(210, 2), .error(260, TestError.one)])
    #expect(failing.subscriptions == [Subscription(200, 260)])
  }

  @Test("a span of zero forwards everything at once")
  func zero() {
    let source = scheduler.hot(.next(210, 1), .next(210, 2), .next(211, 3), .completed(220))
    #expect(throttle(source, 0) == [.next(210, 1), .next(210, 2), .next(211, 3), .completed(220)])
  }

  @Test("a span of .never forwards one element, and completion if nothing is held")
  func never() {
    let source = scheduler.hot(.next(210, 1), .next(900, 2), .completed(910))
    let observer = scheduler.start { source.throttle(.never, latest: false, scheduler: scheduler) }
    #expect(observer.events == [.next(210, 1), .completed(910)])
  }

  @Test("the longest span forwards one element and holds the next")
  func longestSpan() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    #expect(throttle(source, .max) == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("fractions of a tick do not shift the end of a span")
  func resolution() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let source = scheduler.hot(.next(210, 1), .next(211, 2), .next(217, 3), .next(224, 4), .completed(250))
    let observer = scheduler.start { source.throttle(.milliseconds(7), scheduler: scheduler) }
    #expect(observer.events == [.next(210, 1), .next(217, 3), .next(224, 4), .completed(250)])
  }

  @Test("an empty source completes and a silent one stays silent")
  func withoutElements() {
    let empty = scheduler.hot(.next(150, 1), .completed(250))
    #expect(throttle(empty, 10) == [.completed(250)])
    let other = TestScheduler(initialClock: 0)
    let never = other.hot(.next(150, 1))
    #expect(other.start { never.throttle(.seconds(10), scheduler: other) }.events == [])
    #expect(never.subscriptions == [Subscription(200, 1000)])
  }

  @Test("disposal drops the held element")
  func disposed() {
    let source = busySource()
    #expect(throttle(source, 200, disposed: 400) == [.next(210, 2)])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test("an element that the observer sends waits for its span")
  func reentrant() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = subject.throttle(.seconds(10), scheduler: scheduler).subscribe { event in
      observer.on(event)
      if let element = event.element, element < 3 { subject.onNext(element + 1) }
    }
    scheduler.scheduleAt(100) { subject.onNext(1) }
    scheduler.start()
    #expect(observer.events == [.next(100, 1), .next(110, 2), .next(120, 3)])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test("dropped elements are released")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    let feed = SingleObserverSource<TrackedObject>()
    let subscription = feed.observable.throttle(.seconds(10), scheduler: scheduler).subscribe()
    for index in 0..<4 { feed.send(.next(TrackedObject(index, in: liveCount))) }
    #expect(liveCount.value == 1)
    subscription.dispose()
    #expect(liveCount.value == 0)
  }

  @Test("on real queues events arrive one at a time, including the last element")
  func threads() {
    let background = ConcurrentDispatchQueueScheduler(qos: .default)
    for round in 0..<200 {
      let (subject, recorder, semaphore) = (PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore())
      _ = subject.throttle(.microseconds(round), scheduler: background).subscribe { event in
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
      for element in 0..<50 { subject.onNext(element) }
      subject.onCompleted()
      #expect(semaphore.wait())
      #expect(recorder.overlaps == 0)
      #expect(recorder.elements.first == 0 && recorder.elements.last == 49)
      #expect(recorder.elements == recorder.elements.sorted())
      #expect(recorder.events.filter(\.isStopEvent).count == 1 && recorder.events.last == .completed)
    }
  }

  @Test("the span is measured from the end of a delivery")
  func slowObserver() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = subject.throttle(.seconds(10), scheduler: scheduler).subscribe { event in
      observer.on(event)
      if event.element == 1 { scheduler.sleep(8) }
    }
    scheduler.scheduleAt(200) { subject.onNext(1) }
    scheduler.scheduleAt(212) { subject.onNext(2) }
    scheduler.start()
    #expect(observer.events == [.next(200, 1), .next(218, 2)])
    subscription.dispose()
  }

  @Test("an element after the span drops the one that is held for a late timer")
  func lateTimer() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = subject.throttle(.seconds(10), scheduler: scheduler).subscribe(observer)
    scheduler.scheduleAt(200) { subject.onNext(1) }
    scheduler.scheduleAt(205) { subject.onNext(2) }
    scheduler.scheduleAt(206) {
      scheduler.sleep(9)
      subject.onNext(3)
    }
    scheduler.start()
    #expect(observer.events == [.next(200, 1), .next(215, 3)])
    subscription.dispose()
  }

  @Test("the span after a held element is measured from the end of its delivery, too")
  func slowObserverOfHeldElement() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = subject.throttle(.seconds(10), scheduler: scheduler).subscribe { event in
      observer.on(event)
      if event.element == 2 { scheduler.sleep(8) }
    }
    for (time, element) in [(200, 1), (205, 2), (222, 3)] {
      scheduler.scheduleAt(time) { subject.onNext(element) }
    }
    scheduler.start()
    #expect(observer.events == [.next(200, 1), .next(210, 2), .next(228, 3)])
    subscription.dispose()
  }
}
