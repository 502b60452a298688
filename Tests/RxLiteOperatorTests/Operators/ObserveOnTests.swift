import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("observe(on:)", .timeLimit(.minutes(5)))
struct ObserveOnTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func observed(
    _ source: some ObservableType<Int>, disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) { source.observe(on: scheduler) }.events
  }

  @Test("each event comes one step later")
  func later() {
    let source = scheduler.hot(.next(150, 1), .next(210, 2), .next(220, 3), .completed(230))
    #expect(observed(source) == [.next(211, 2), .next(221, 3), .completed(231)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("simultaneous events take one step each")
  func sameTime() {
    let source = scheduler.hot(.next(210, 1), .next(210, 2), .next(211, 3), .completed(211))
    #expect(observed(source) == [.next(211, 1), .next(212, 2), .next(213, 3), .completed(214)])
    #expect(source.subscriptions == [Subscription(200, 211)])
  }

  @Test("the source is disposed when it ends, not when its end is delivered")
  func ownEnd() {
    let source = scheduler.hot(.next(210, 1), .next(210, 2), .next(220, 3))
    #expect(observed(source.take(2)) == [.next(211, 1), .next(212, 2), .completed(213)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("an error waits after the elements")
  func error() {
    let source = scheduler.hot(.next(210, 1), .next(210, 2), .error(210, TestError.one))
    #expect(observed(source) == [.next(211, 1), .next(212, 2), .error(213, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("an empty source completes, a silent one stays silent")
  func withoutElements() {
    let empty = scheduler.hot(.completed(250))
    #expect(observed(empty) == [.completed(251)])
    #expect(empty.subscriptions == [Subscription(200, 250)])

    let silent = TestScheduler(initialClock: 0)
    let never = silent.hot(.next(150, 1))
    #expect(silent.start { never.observe(on: silent) }.events == [])
    #expect(never.subscriptions == [Subscription(200, 1000)])
  }

  @Test("disposal drops the pending events")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(210, 2), .next(210, 3), .completed(250))
    #expect(observed(source, disposed: 212) == [.next(211, 1)])
    #expect(source.subscriptions == [Subscription(200, 212)])
  }

  @Test("an element sent by the observer waits for its turn")
  func reentrant() {
    let subject = PublishSubject<Int>()
    let observer = scheduler.createObserver(Int.self)
    let subscription = subject.observe(on: scheduler).subscribe { event in
      observer.on(event)
      if let element = event.element, element < 3 { subject.onNext(element + 1) }
    }
    scheduler.scheduleAt(100) { subject.onNext(1) }
    scheduler.start()
    #expect(observer.events == [.next(101, 1), .next(102, 2), .next(103, 3)])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test("on the current thread elements are delivered after the running work")
  func currentThread() {
    var log: [String] = []
    _ = CurrentThreadScheduler.instance.schedule(()) {
      _ = Observable.of(1, 2).observe(on: CurrentThreadScheduler.instance)
        .subscribe(onNext: { log.append("\($0)") }, onCompleted: { log.append("completed") })
      log.append("subscribed")
      return Disposables.create()
    }
    #expect(log == ["subscribed", "1", "2", "completed"])
  }

  @Test("100,000 elements arrive in order on a queue, one at a time")
  func order() {
    let marked = MarkedQueue("observe", attributes: .concurrent)
    let schedulers: [any ImmediateSchedulerType] = [
      ConcurrentDispatchQueueScheduler(queue: marked.queue),
      SerialDispatchQueueScheduler(queue: marked.queue, internalSerialQueueName: "serial"),
    ]
    for scheduler in schedulers {
      let (subject, recorder, semaphore, log) = (
        PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore(), Log()
      )
      _ = subject.observe(on: scheduler).subscribe { event in
        if !marked.isCurrent { log.add("\(event) arrived elsewhere") }
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
      for element in 0..<100_000 { subject.onNext(element) }
      subject.onCompleted()
      #expect(semaphore.wait())
      #expect(recorder.overlaps == 0)
      #expect(recorder.elements == Array(0..<100_000))
      #expect(recorder.events.count == 100_001 && recorder.events.last == .completed)
      #expect(log.lines == [])
    }
  }

  @Test("several threads may send")
  func threads() {
    let background = ConcurrentDispatchQueueScheduler(qos: .default)
    let (subject, recorder, semaphore) = (PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore())
    _ = subject.observe(on: background).subscribe { event in
      recorder.on(event)
      if event.isStopEvent { semaphore.signal() }
    }
    onThreads(4) { thread in
      for element in 0..<1_000 { subject.onNext(thread * 1_000 + element) }
    }
    subject.onCompleted()
    #expect(semaphore.wait())
    #expect(recorder.overlaps == 0)
    #expect(recorder.elements.sorted() == Array(0..<4_000))
    for thread in 0..<4 {
      let own = recorder.elements.filter { $0 / 1_000 == thread }
      #expect(own == own.sorted())
    }
  }

  @Test("other work on the queue runs between the batches")
  func fairness() {
    let queue = DispatchQueue(label: "fairness")
    let background = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "shared")
    let (subject, log, semaphore) = (PublishSubject<Int>(), Log(), TestSemaphore())
    queue.suspend()
    let subscription = subject.observe(on: background).subscribe(
      onNext: { if $0 == 0 || $0 == 99_999 { log.add("\($0)") } }, onCompleted: semaphore.signal)
    for element in 0..<100_000 { subject.onNext(element) }
    subject.onCompleted()
    _ = background.schedule(()) {
      log.add("other work")
      return Disposables.create()
    }
    queue.resume()
    #expect(semaphore.wait())
    #expect(log.lines == ["0", "other work", "99999"])
    subscription.dispose()
  }

  @Test("at most 1,024 pending events are delivered before other work on the queue")
  func batchSize() {
    let queue = DispatchQueue(label: "batches")
    let background = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "batches too")
    let (subject, log, semaphore) = (PublishSubject<Int>(), Log(), TestSemaphore())
    queue.suspend()
    let subscription = subject.observe(on: background).subscribe(
      onNext: { log.add("\($0)") }, onCompleted: semaphore.signal)
    for element in 0..<1_030 { subject.onNext(element) }
    subject.onCompleted()
    _ = background.schedule(()) {
      log.add("other work")
      return Disposables.create()
    }
    queue.resume()
    #expect(semaphore.wait())
    #expect(log.lines.firstIndex(of: "other work") == 1_024)
    subscription.dispose()
  }

  @Test("the memory of a burst is freed after its delivery")
  func memoryOfBurst() async {
    await #expect(processExitsWith: .success) {
      // Large elements, because the allocator returns only blocks of more than 32 MiB for certain.
      let element = SIMD64<Int>()
      let (subject, scheduler) = (PublishSubject<SIMD64<Int>>(), TestScheduler(initialClock: 0))
      let subscription = subject.observe(on: scheduler).subscribe()
      let before = residentPages()
      for _ in 0..<150_000 { subject.onNext(element) }
      let peak = residentPages() - before
      scheduler.start()
      // The allocator keeps a part.
      precondition(peak > 10_000 && (residentPages() - before) * 2 < peak)
      subscription.dispose()
    }
  }

  @Test("disposal releases the pending events, and nothing is delivered")
  func lifetime() {
    let (liveCount, log, semaphore) = (TrackedObject.LiveCount(), Log(), TestSemaphore())
    let queue = DispatchQueue(label: "suspended")
    let background = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "suspended too")
    let feed = SingleObserverSource<TrackedObject>()
    queue.suspend()
    let subscription = feed.observable.observe(on: background).subscribe(onNext: { log.add("\($0.value)") })
    for index in 0..<10 { feed.send(.next(TrackedObject(index, in: liveCount))) }
    #expect(liveCount.value == 10)
    subscription.dispose()
    #expect(liveCount.value == 0)
    queue.resume()
    _ = background.schedule(()) {
      semaphore.signal()
      return Disposables.create()
    }
    #expect(semaphore.wait())
    #expect(log.lines == [])
  }

  @Test("a disposal by the observer drops the rest of the batch")
  func disposedInside() {
    let background = SerialDispatchQueueScheduler(qos: .default)
    let (recorder, semaphore) = (RecordingObserver<Int>(), TestSemaphore())
    let subject = PublishSubject<Int>()
    _ = subject.observe(on: background).take(3).subscribe { event in
      recorder.on(event)
      if event.isStopEvent { semaphore.signal() }
    }
    for element in 0..<100 { subject.onNext(element) }
    #expect(semaphore.wait())
    #expect(recorder.events == [.next(0), .next(1), .next(2), .completed])
  }

  @Test("at most the element in delivery follows a disposal, at any moment")
  func disposedAnywhere() {
    let queue = DispatchQueue(label: "disposed anywhere", attributes: .concurrent)
    let background = ConcurrentDispatchQueueScheduler(queue: queue)
    let liveCount = TrackedObject.LiveCount()
    for round in 0..<300 {
      let feed = SingleObserverSource<TrackedObject>()
      let isDisposed = BooleanDisposable()
      let (heard, late, semaphore) = (Log(), Log(), TestSemaphore())
      let subscription = feed.observable.observe(on: background).subscribe(onNext: { element in
        (isDisposed.isDisposed ? late : heard).add("\(element.value)")
        semaphore.signal()
      })
      for index in 0..<20 { feed.send(.next(TrackedObject(index, in: liveCount))) }
      #expect(semaphore.wait(for: round % 20))
      subscription.dispose()
      isDisposed.dispose()
      // Waits for the delivery in progress, after which no other can follow.
      queue.sync(flags: .barrier) {}
      #expect(heard.lines.count >= round % 20)
      #expect(heard.lines + late.lines == (0..<heard.lines.count + late.lines.count).map { "\($0)" })
      // One element may have passed the check when the subscription was disposed, but no second one.
      #expect(late.lines.count <= 1)
    }
    #expect(liveCount.value == 0)
  }

  @Test("after the disposal no element is kept, although the source keeps its observer")
  func disposedElements() throws {
    let liveCount = TrackedObject.LiveCount()
    var kept: AnyObserver<TrackedObject>?
    let source = Observable<TrackedObject>.create { observer in
      kept = observer
      return Disposables.create()
    }
    let subscription = source.observe(on: scheduler).subscribe()
    try #require(kept).onNext(TrackedObject(in: liveCount))
    #expect(liveCount.value == 1)
    subscription.dispose()
    #expect(liveCount.value == 0)
    withExtendedLifetime(kept) {}
  }
}
