import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("toBlocking", .timeLimit(.minutes(5)))
struct BlockingTests {
  @Test("toArray, first and last return many elements, one or none")
  func elements() throws {
    #expect(try Observable.of(1, 2, 3).toBlocking().toArray() == [1, 2, 3])
    #expect(try Observable<Int>.empty().toBlocking().toArray() == [])
    #expect(try Observable.of(1, 2, 3).toBlocking().first() == 1)
    #expect(try Observable<Int>.empty().toBlocking().first() == nil)
    #expect(try Observable.of(1, 2, 3).toBlocking().last() == 3)
    #expect(try Observable<Int>.empty().toBlocking().last() == nil)
    #expect(try Single.just(1).toBlocking().toArray() == [1])
  }

  @Test("single requires exactly one element")
  func single() throws {
    #expect(try Observable.just(1).toBlocking().single() == 1)
    #expect(try Observable.of(1, 2, 3).toBlocking().single { $0 == 2 } == 2)
    #expect(throws: RxError.noElements) { try Observable<Int>.empty().toBlocking().single() }
    #expect(throws: RxError.moreThanOneElement) { try Observable.of(1, 2).toBlocking().single() }
    #expect(throws: RxError.moreThanOneElement) { try Observable.of(1, 2).toBlocking().single { $0 > 0 } }
    #expect(throws: RxError.noElements) { try Observable.of(1, 2).toBlocking().single { $0 > 5 } }
    #expect(throws: TestError.two) {
      try Observable.of(1, 2).toBlocking().single { _ in throw TestError.two }
    }
  }

  @Test("each method throws the error of the sequence")
  func error() {
    let failing = Observable<Int>.error(TestError.one).toBlocking()
    #expect(throws: TestError.one) { try failing.toArray() }
    #expect(throws: TestError.one) { try failing.first() }
    #expect(throws: TestError.one) { try failing.last() }
    #expect(throws: TestError.one) { try failing.single() }
  }

  @Test("materialize returns the elements and how the sequence ended")
  func materialize() {
    guard case .completed([1, 2]) = Observable.of(1, 2).toBlocking().materialize() else {
      Issue.record("did not complete with 1, 2")
      return
    }
    let failing = Observable.of(1, 2).concat(Observable<Int>.error(TestError.one))
    guard case .failed([1, 2], TestError.one) = failing.toBlocking().materialize() else {
      Issue.record("did not fail after 1, 2")
      return
    }
  }

  @Test("first disposes an endless sequence after its first element")
  func endless() throws {
    var isDisposed = false
    let numbers = Observable.from(sequence(first: 1) { $0 + 1 }).do(onDispose: { isDisposed = true })
    #expect(try numbers.toBlocking().first() == 1)
    #expect(isDisposed)
  }

  @Test("single receives only as many elements as it needs")
  func demand() {
    var taken = 0
    let numbers = Observable.from(1...10).do(onNext: { _ in taken += 1 }).toBlocking()
    #expect(throws: RxError.moreThanOneElement) { try numbers.single() }
    #expect(taken == 2)
    #expect(throws: RxError.moreThanOneElement) { try numbers.single { $0 > 5 } }
    #expect(taken == 2 + 7)
  }

  @Test("the result is the error of the predicate, even if the source continues to its end")
  func throwingPredicate() {
    let numbers = Observable<Int>.create { observer in
      for number in 1...2 { observer.onNext(number) }
      observer.onCompleted()
      return Disposables.create()
    }
    #expect(throws: TestError.two) {
      try numbers.toBlocking().single { number in
        if number == 1 { throw TestError.two }
        return true
      }
    }
  }

  @Test("single does not call its predicate after the end, even if the source continues")
  func predicateAfterEnd() {
    let numbers = Observable<Int>.create { observer in
      for number in 1...4 { observer.onNext(number) }
      return Disposables.create()
    }
    let (failing, accepting) = (Log(), Log())
    #expect(throws: TestError.two) {
      try numbers.toBlocking().single { number in
        failing.add("\(number)")
        throw TestError.two
      }
    }
    #expect(failing.lines == ["1"])
    #expect(throws: RxError.moreThanOneElement) {
      try numbers.toBlocking().single { number in
        accepting.add("\(number)")
        return true
      }
    }
    #expect(accepting.lines == ["1", "2"])
  }

  @Test("last keeps one element at a time")
  func lastReleases() throws {
    let liveCount = TrackedObject.LiveCount()
    var most = 0
    let source = Observable.range(start: 0, count: 100).map { number in
      most = max(most, liveCount.value)
      return TrackedObject(number, in: liveCount)
    }
    #expect(try source.toBlocking().last()?.value == 99)
    #expect(most == 1)
  }

  @Test("it waits for another thread")
  func otherThread() throws {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    #expect(try Observable.of(1, 2, scheduler: scheduler).toBlocking().toArray() == [1, 2])
    #expect(
      try Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).toBlocking(timeout: 60).first() == 0)
  }

  @Test("a sequence that does not end in time fails with its elements so far, and is disposed")
  func timeout() {
    var isDisposed = false
    let endless = Observable.of(1, 2).concat(Observable<Int>.never()).do(onDispose: { isDisposed = true })
    guard case .failed([1, 2], RxError.timeout) = endless.toBlocking(timeout: 0.01).materialize() else {
      Issue.record("did not time out after 1, 2")
      return
    }
    #expect(isDisposed)
    #expect(throws: RxError.timeout) { try Observable<Int>.never().toBlocking(timeout: 0.01).first() }
  }

  @Test("no timeout is too long or too short")
  func extremeTimeouts() throws {
    #expect(try Observable.just(1).toBlocking(timeout: .greatestFiniteMagnitude).first() == 1)
    #expect(try Observable.just(1).toBlocking(timeout: .infinity).first() == 1)
    #expect(throws: RxError.timeout) {
      try Observable<Int>.never().toBlocking(timeout: -.greatestFiniteMagnitude).first()
    }
  }

  @Test("inside a subscription it runs the work that it queues on the current thread")
  func nested() throws {
    let arrays = Observable.of(1, 2).map { try Observable.of($0, $0 * 10).toBlocking().toArray() }
    #expect(try arrays.toBlocking().toArray() == [[1, 10], [2, 20]])
  }

  @Test("inside scheduled work it leaves the queued work alone, which runs afterwards in order")
  func outerQueue() throws {
    let scheduler = CurrentThreadScheduler.instance
    let log = Log()
    func schedule(_ text: String) {
      _ = scheduler.schedule(()) {
        log.add(text)
        return Disposables.create()
      }
    }
    _ = scheduler.schedule(()) {
      schedule("before")
      log.add("\((try? Observable.of(1, 2).toBlocking().toArray()) ?? [])")
      schedule("after")
      log.add("end")
      return Disposables.create()
    }
    #expect(log.lines == ["[1, 2]", "end", "before", "after"])
  }
}

extension RxError: Equatable {
  // Distinguishes the cases by their descriptions.
  static func == (lhs: RxError, rhs: RxError) -> Bool { "\(lhs)" == "\(rhs)" }
}
