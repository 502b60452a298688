import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("AsyncSubject")
struct AsyncSubjectTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let subject = AsyncSubject<Int>()

  @Test("the last element is sent on completion, for later observers too")
  func last() {
    let (early, late) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(200) { _ = subject.subscribe(early) }
    scheduler.scheduleAt(210) { subject.onNext(1) }
    scheduler.scheduleAt(220) { subject.onNext(2) }
    scheduler.scheduleAt(230) { subject.onCompleted() }
    scheduler.scheduleAt(240) { subject.onNext(3) }
    scheduler.scheduleAt(250) { _ = subject.subscribe(late) }
    scheduler.start()
    #expect(early.events == [.next(230, 2), .completed(230)])
    #expect(late.events == [.next(250, 2), .completed(250)])
  }

  @Test("without an element only completion is sent")
  func empty() {
    let recorder = RecordingObserver<Int>()
    _ = subject.subscribe(recorder)
    #expect(subject.hasObservers)
    subject.onCompleted()
    _ = subject.subscribe(recorder)
    #expect(recorder.events == [.completed, .completed])
    #expect(!subject.hasObservers)
  }

  @Test("an error is sent without the element")
  func error() {
    let recorder = RecordingObserver<Int>()
    _ = subject.subscribe(recorder)
    subject.onNext(1)
    subject.onError(TestError.one)
    subject.onCompleted()
    _ = subject.subscribe(recorder)
    #expect(recorder.events == [.error(TestError.one), .error(TestError.one)])
  }

  @Test("only the last element is kept, and none after an error")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    let subject = AsyncSubject<TrackedObject>()
    for value in 0..<2 { subject.onNext(TrackedObject(value, in: liveCount)) }
    #expect(liveCount.value == 1)
    subject.onError(TestError.one)
    #expect(liveCount.value == 0)
    subject.onNext(TrackedObject(2, in: liveCount))
    #expect(liveCount.value == 0)
    withExtendedLifetime(subject) {}
  }

  @Test("a removed observer receives nothing")
  func disposed() {
    let recorder = RecordingObserver<Int>()
    let subscription = subject.subscribe(recorder)
    subject.onNext(1)
    subscription.dispose()
    subject.onCompleted()
    #expect(recorder.events == [])
  }

  @Test("an observer that subscribes from inside the last element receives it and completion, too")
  func reentrant() {
    let (inner, outer) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    let subject = subject
    _ = subject.subscribe { event in
      outer.on(event)
      if case .next = event { _ = subject.subscribe(inner) }
    }
    subject.onNext(1)
    subject.onCompleted()
    #expect(outer.events == [.next(1), .completed])
    #expect(inner.events == [.next(1), .completed])
  }
}
