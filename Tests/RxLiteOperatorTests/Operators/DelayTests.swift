import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("delay", .timeLimit(.minutes(5)))
struct DelayTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func delay(
    _ source: some ObservableType<Int>, _ seconds: Int, disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) { source.delay(.seconds(seconds), scheduler: scheduler) }.events
  }

  @Test("elements and completion arrive later, and the source is disposed at its end")
  func later() {
    let source = scheduler.hot(
      .next(150, 1), .next(250, 2), .next(350, 3), .next(450, 4), .completed(550))
    #expect(delay(source, 100) == [.next(350, 2), .next(450, 3), .next(550, 4), .completed(650)])
    #expect(source.subscriptions == [Subscription(200, 550)])
  }

  @Test("the intervals between elements are kept")
  func distances() {
    let source = scheduler.hot(.next(210, 1), .next(213, 2), .next(250, 3), .completed(251))
    #expect(delay(source, 20) == [.next(230, 1), .next(233, 2), .next(270, 3), .completed(271)])
    #expect(source.subscriptions == [Subscription(200, 251)])
  }

  @Test("simultaneous events take one step each")
  func sameTime() {
    let source = scheduler.hot(.next(210, 1), .next(210, 2), .next(210, 3), .completed(210))
    #expect(delay(source, 20) == [.next(230, 1), .next(231, 2), .next(232, 3), .completed(233)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("with a due time of zero, events arrive one step later")
  func zero() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    #expect(delay(source, 0) == [.next(211, 1), .next(221, 2), .completed(231)])
  }

  @Test("an error arrives at once and drops the held events")
  func error() {
    let source = scheduler.hot(
      .next(250, 2), .next(350, 3), .next(450, 4), .error(550, TestError.one))
    #expect(delay(source, 150) == [.next(400, 2), .next(500, 3), .error(550, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 550)])
  }

  @Test("an empty source completes later, a failing one fails at once, a silent one stays silent")
  func withoutElements() {
    let empty = scheduler.hot(.completed(550))
    #expect(delay(empty, 10) == [.completed(560)])
    #expect(empty.subscriptions == [Subscription(200, 550)])

    let failing = TestScheduler(initialClock: 0)
    let error = failing.hot(.error(550, TestError.one))
    #expect(
      failing.start { error.delay(.seconds(10), scheduler: failing) }.events == [.error(550, TestError.one)])
    #expect(error.subscriptions == [Subscription(200, 550)])

    let silent = TestScheduler(initialClock: 0)
    let never = silent.hot(.next(150, 1))
    #expect(silent.start { never.delay(.seconds(10), scheduler: silent) }.events == [])
    #expect(never.subscriptions == [Subscription(200, 1000)])
  }

  @Test("disposal drops the held events")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(250, 2), .next(260, 3), .completed(400))
    #expect(delay(source, 50, disposed: 290) == [.next(260, 1)])
    #expect(source.subscriptions == [Subscription(200, 290)])
  }

  @Test("an element sent by the observer is delayed too")
  func reentrant() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = subject.delay(.seconds(10), scheduler: scheduler).subscribe { event in
      observer.on(event)
      if let element = event.element, element < 3 { subject.onNext(element + 1) }
    }
    scheduler.scheduleAt(100) { subject.onNext(1) }
    scheduler.start()
    #expect(observer.events == [.next(110, 1), .next(120, 2), .next(130, 3)])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test("disposal by the observer drops the held events")
  func disposedInside() {
    let source = scheduler.hot(.next(210, 1), .next(210, 2), .next(220, 3), .completed(230))
    let observer = scheduler.start { source.delay(.seconds(100), scheduler: scheduler).take(2) }
    #expect(observer.events == [.next(310, 1), .next(311, 2), .completed(311)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("held elements are released by an error and by disposal")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    for ends in [true, false] {
      let feed = SingleObserverSource<TrackedObject>()
      let subscription = feed.observable.delay(.seconds(10), scheduler: scheduler).subscribe(onError: { _ in }
      )
      for index in 0..<4 { feed.send(.next(TrackedObject(index, in: liveCount))) }
      #expect(liveCount.value == 4)
      if ends { feed.send(.error(TestError.one)) } else { subscription.dispose() }
      #expect(liveCount.value == 0)
    }
  }

  @Test("20,000 elements cost little", arguments: [1, 10_000])
  func many(dueTime: Int) {
    let source = scheduler.createHotObservable((1...20_000).map { .next($0, $0) } + [.completed(20_001)])
    let observer = scheduler.createObserver(Int.self)
    let subscription = source.delay(.seconds(dueTime), scheduler: scheduler).subscribe(observer)
    scheduler.start()
    #expect(observer.events.map(\.time) == (1...20_001).map { $0 + dueTime })
    #expect(observer.events.compactMap(\.value.element) == Array(1...20_000))
    subscription.dispose()
  }

  @Test("on real queues events arrive in order on the scheduler, one at a time")
  func threads() {
    let marked = MarkedQueue("delay", attributes: .concurrent)
    let background = ConcurrentDispatchQueueScheduler(queue: marked.queue)
    for round in 0..<100 {
      let (subject, recorder, semaphore, log) = (
        PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore(), Log()
      )
      _ = subject.delay(.microseconds(round), scheduler: background).subscribe { event in
        if !marked.isCurrent { log.add("\(event) arrived elsewhere") }
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
      for element in 0..<100 { subject.onNext(element) }
      subject.onCompleted()
      #expect(semaphore.wait())
      #expect(recorder.overlaps == 0)
      #expect(recorder.events == (0..<100).map { .next($0) } + [.completed])
      #expect(log.lines == [])
    }
  }

  @Test("a thread that sends meanwhile does not take over the delivery from the scheduler")
  func sendingThread() {
    let marked = MarkedQueue("delay", attributes: .concurrent)
    let background = ConcurrentDispatchQueueScheduler(queue: marked.queue)
    for _ in 0..<20 {
      let (subject, arrived, log) = (PublishSubject<Int>(), BooleanDisposable(), Log())
      marked.queue.suspend()
      let subscription = subject.delay(.nanoseconds(1), scheduler: background).subscribe(onNext: { element in
        if !marked.isCurrent { log.add("\(element) arrived elsewhere") }
        if element == 1_000 { arrived.dispose() }
      })
      for element in 1...1_000 { subject.onNext(element) }
      marked.queue.resume()
      // Not on a thread of Dispatch's pool: while one is busy, a single processor gets no other for the queue.
      onThreads(1) { _ in while !arrived.isDisposed { subject.onNext(0) } }
      subscription.dispose()
      #expect(log.lines == [])
    }
  }

  @Test("on real queues nothing follows an error")
  func failingThreads() {
    let background = ConcurrentDispatchQueueScheduler(qos: .default)
    for round in 0..<100 {
      let (subject, recorder, semaphore) = (PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore())
      _ = subject.delay(.microseconds(round), scheduler: background).subscribe { event in
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
      for element in 0..<100 { subject.onNext(element) }
      subject.onError(TestError.one)
      #expect(semaphore.wait())
      #expect(recorder.overlaps == 0)
      #expect(recorder.elements == Array(0..<recorder.elements.count))
      #expect(recorder.events.last == .error(TestError.one))
    }
  }

  @Test("on a real queue no element arrives early, even if it waits for others")
  func notEarly() {
    let background = SerialDispatchQueueScheduler(qos: .default)
    let (subject, semaphore, early) = (PublishSubject<UInt64>(), TestSemaphore(), Log())
    _ = subject.delay(.milliseconds(20), scheduler: background).subscribe(
      onNext: { sent in
        let passed = DispatchTime.now().uptimeNanoseconds - sent
        // The delay is kept in whole microseconds.
        if passed < 19_000_000 { early.add("an element came after \(passed) ns") }
      }, onCompleted: semaphore.signal)
    let start = DispatchTime.now()
    // Longer than the delay, so that elements wait while others arrive.
    repeat {
      subject.onNext(DispatchTime.now().uptimeNanoseconds)
    } while DispatchTime.now() < start + .milliseconds(30)
    subject.onCompleted()
    #expect(semaphore.wait())
    #expect(early.lines == [])
  }

  @Test("on a dispatch queue, elements that are due together arrive before other work")
  func together() {
    let (queue, semaphore, log) = (DispatchQueue(label: "blocked"), TestSemaphore(), Log())
    let background = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "blocked too")
    let subject = PublishSubject<Int>()
    queue.suspend()
    let subscription = subject.delay(.nanoseconds(0), scheduler: background).subscribe(onNext: { element in
      log.add("\(element)")
      guard element == 1 else { return }
      _ = background.schedule(()) {
        log.add("other work")
        semaphore.signal()
        return Disposables.create()
      }
    })
    for element in 1...3 { subject.onNext(element) }
    queue.resume()
    #expect(semaphore.wait())
    #expect(log.lines == ["1", "2", "3", "other work"])
    subscription.dispose()
  }

  @Test("on a dispatch queue, disposal from inside an element drops the end that is due together with it")
  func disposedTogether() {
    let (queue, semaphore, log) = (DispatchQueue(label: "blocked"), TestSemaphore(), Log())
    let background = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "blocked too")
    let (subject, subscription) = (PublishSubject<Int>(), SingleAssignmentDisposable())
    queue.suspend()
    let events = subject.delay(.nanoseconds(0), scheduler: background).materialize().map { event in
      log.add("\(event)")
      return event.isStopEvent
    }
    subscription.setDisposable(
      events.subscribe(onNext: { _ in
        subscription.dispose()
        _ = background.schedule(()) {
          semaphore.signal()
          return Disposables.create()
        }
      }))
    subject.onNext(1)
    subject.onCompleted()
    queue.resume()
    #expect(semaphore.wait())
    #expect(log.lines == ["next(1)"])
  }
}
