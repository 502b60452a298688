import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("ReplaySubject", .timeLimit(.minutes(5)))
struct ReplaySubjectTests {
  private let subject = ReplaySubject<Int>.create(bufferSize: 2)
  private let recorder = RecordingObserver<Int>()

  @Test("a replayed element is released once it is delivered, not with the last")
  func replayedReleased() {
    let liveCount = TrackedObject.LiveCount()
    let subject = ReplaySubject<TrackedObject>.createUnbounded()
    for value in 0..<5 { subject.onNext(TrackedObject(value, in: liveCount)) }
    var living: [Int] = []
    let subscription = subject.subscribe(onNext: { _ in
      subject.dispose()
      living.append(liveCount.value)
    })
    #expect(living == [5, 4, 3, 2, 1])
    #expect(liveCount.value == 0)
    subscription.dispose()
  }

  @Test("a replayed element is released once it is delivered, also if the subject has displaced older ones")
  func replayedReleasedAfterDisplacement() {
    let liveCount = TrackedObject.LiveCount()
    let subject = ReplaySubject<TrackedObject>.create(bufferSize: 5)
    for value in 0..<7 { subject.onNext(TrackedObject(value, in: liveCount)) }
    var (values, living): ([Int], [Int]) = ([], [])
    let subscription = subject.subscribe(onNext: { element in
      subject.dispose()
      values.append(element.value)
      living.append(liveCount.value)
    })
    #expect(values == [2, 3, 4, 5, 6])
    #expect(living == [5, 4, 3, 2, 1])
    subscription.dispose()
  }

  @Test("a buffer of any size replays its last elements in order", arguments: [511, 512, 513, 1_024, 1_300])
  func largeBuffers(size: Int) {
    let subject = ReplaySubject<Int>.create(bufferSize: size)
    for element in 0..<4_000 {
      subject.onNext(element)
      guard element.isMultiple(of: 331) else { continue }
      let replayed = RecordingObserver<Int>(whileInside: { _ in })
      subject.subscribe(replayed).dispose()
      #expect(replayed.elements == Array((0...element).suffix(size)))
    }
  }

  @Test("disposal releases all elements of a large buffer")
  func largeBufferReleased() {
    let liveCount = TrackedObject.LiveCount()
    let subject = ReplaySubject<TrackedObject>.createUnbounded()
    for value in 0..<1_200 { subject.onNext(TrackedObject(value, in: liveCount)) }
    #expect(liveCount.value == 1_200)
    subject.dispose()
    #expect(liveCount.value == 0)
    withExtendedLifetime(subject) {}
  }

  @Test("a later observer receives the last elements first", arguments: [0, 1, 2, 3, 5])
  func replays(size: Int) {
    let subject = ReplaySubject<Int>.create(bufferSize: size)
    for element in 1...3 { subject.onNext(element) }
    _ = subject.subscribe(recorder)
    subject.onNext(4)
    #expect(recorder.elements == Array([1, 2, 3].suffix(size)) + [4])
  }

  @Test("without a limit all elements are kept")
  func unbounded() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 0..<1_000 { subject.onNext(element) }
    _ = subject.subscribe(recorder)
    #expect(recorder.elements == Array(0..<1_000))
  }

  @Test("elements and the stop event are replayed after the end", arguments: [false, true])
  func afterTheEnd(fails: Bool) {
    for element in 1...3 { subject.onNext(element) }
    if fails { subject.onError(TestError.one) } else { subject.onCompleted() }
    subject.onNext(4)
    _ = subject.subscribe(recorder)
    #expect(recorder.events == [.next(2), .next(3), fails ? .error(TestError.one) : .completed])
    #expect(!subject.hasObservers)
  }

  @Test("after disposal it drops everything and fails for later observers")
  func disposed() {
    _ = subject.subscribe(recorder)
    subject.onNext(1)
    #expect(subject.hasObservers)
    subject.dispose()
    subject.onNext(2)
    #expect(!subject.hasObservers)
    #expect(recorder.events == [.next(1)])
    let late = RecordingObserver<Int>()
    _ = subject.subscribe(late)
    #expect(late.events.count == 1)
    let isDisposedError = if case .disposed? = late.events.first?.error as? RxError { true } else { false }
    #expect(isDisposedError)
  }

  @Test("kept and displaced elements are released")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    let subject = ReplaySubject<TrackedObject>.create(bufferSize: 2)
    for value in 0..<5 { subject.onNext(TrackedObject(value, in: liveCount)) }
    #expect(liveCount.value == 2)
    subject.dispose()
    #expect(liveCount.value == 0)
  }

  @Test("disposal after the end releases the elements, too")
  func disposedAfterTheEnd() {
    let liveCount = TrackedObject.LiveCount()
    let subject = ReplaySubject<TrackedObject>.create(bufferSize: 2)
    for value in 0..<3 { subject.onNext(TrackedObject(value, in: liveCount)) }
    subject.onCompleted()
    #expect(liveCount.value == 2)
    subject.dispose()
    #expect(liveCount.value == 0)
    withExtendedLifetime(subject) {}
  }

  @Test("an element may use the subject in its deinitializer")
  func releaseRunsUserCode() {
    final class DeinitAction {
      let onRelease: () -> Void
      init(_ onRelease: @escaping () -> Void) { self.onRelease = onRelease }
      deinit { onRelease() }
    }
    let subject = ReplaySubject<DeinitAction?>.create(bufferSize: 1)
    var seen: [Bool] = []
    subject.onNext(DeinitAction { seen.append(subject.hasObservers) })
    subject.onNext(nil)
    #expect(seen == [false])
  }

  @Test("an operator replays the elements of a released subject")
  func releasedSubject() {
    func make() -> Observable<Int> {
      let subject = ReplaySubject<Int>.create(bufferSize: 1)
      subject.onNext(1)
      subject.onCompleted()
      return subject.map { $0 * 10 }
    }
    _ = make().subscribe(recorder)
    #expect(recorder.events == [.next(10), .completed])
    let current = RecordingObserver<Int>()
    _ = BehaviorSubject(value: 1).map { $0 * 10 }.subscribe(current)
    #expect(current.events == [.next(10)])
  }

  @Test("each observer receives all elements of several threads, one at a time and once each")
  func threads() {
    let subject = ReplaySubject<Int>.createUnbounded()
    let recorders = (0..<2).map { _ in RecordingObserver<Int>() }
    let recorder = recorder
    onThreads(4) { thread in
      if thread < 2 {
        for element in 0..<1_000 { subject.onNext(thread * 1_000 + element) }
      } else {
        _ = subject.subscribe(recorders[thread - 2])
      }
    }
    _ = subject.subscribe(recorder)
    for one in recorders + [recorder] {
      #expect(one.elements.sorted() == Array(0..<2_000))
      #expect(one.overlaps == 0)
    }
    #expect(recorders.allSatisfy { $0.elements == recorder.elements })
  }

  @Test("a negative number of elements to keep stops the process")
  func negative() async {
    await #expect(processExitsWith: .failure) { _ = ReplaySubject<Int>.create(bufferSize: -1) }
  }
}
