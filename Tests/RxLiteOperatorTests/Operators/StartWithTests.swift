import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("startWith")
struct StartWithTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("its elements are sent at subscription, before all others")
  func elements() {
    let source = scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .completed(250))
    let observer = scheduler.start { source.startWith(8, 9) }
    #expect(
      observer.events == [
        .next(200, 8), .next(200, 9), .next(210, 1), .next(220, 2), .completed(250),
      ])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("it precedes an empty, a failing and a silent source", arguments: [0, 1, 2])
  func ends(ending: Int) {
    let ends: [[Recorded<Event<Int>>]] = [[.completed(250)], [.error(250, TestError.one)], []]
    let source = scheduler.createHotObservable(ends[ending])
    #expect(scheduler.start { source.startWith(1) }.events == [.next(200, 1)] + ends[ending])
    #expect(source.subscriptions == [Subscription(200, ending == 2 ? 1000 : 250)])
  }

  @Test("its elements precede those that a source sends at once, and those added last come first")
  func synchronous() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.of(3, 4).startWith(2).startWith(1).subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .next(3), .next(4), .completed])
  }

  @Test("disposal disposes the source")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2))
    #expect(
      scheduler.start(disposed: 215) { source.startWith(0) }.events == [.next(200, 0), .next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test("in a sequence that follows another one, its elements stop at the disposal", arguments: 0...2)
  func disposedBetween(kind: Int) {
    var log: [Int] = []
    let prefixed = Observable.of(9).startWith(2, 3, 4)
    let sequence: Observable<Int>
    switch kind {
    case 0: sequence = Observable.of(1).concat(prefixed)
    case 1: sequence = Observable.of(1).concat(Observable.deferred { prefixed })
    default:
      var attempts = 0
      sequence = Observable.deferred {
        attempts += 1
        return attempts == 1 ? Observable.of(1).concat(Observable.error(TestError.one)) : prefixed
      }
      .retry()
    }
    let recorder = RecordingObserver<Int>()
    _ = sequence.do(onNext: { log.append($0) }).take(2).subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .completed])
    #expect(log == [1, 2])
  }

  @Test(
    "the elements that a following sequence sends during its subscription stop at the disposal",
    arguments: 0...3)
  func disposedWhileSubscribed(kind: Int) {
    var log: [Int] = []
    let replay = ReplaySubject<Int>.createUnbounded()
    for element in 2...4 { replay.onNext(element) }
    let created = Observable<Int>.create { observer in
      for element in 2...4 { observer.onNext(element) }
      return Disposables.create()
    }
    let following = kind < 2 ? replay.asObservable() : created
    let sequence: Observable<Int>
    if kind % 2 == 0 {
      sequence = Observable.of(1).concat(following)
    } else {
      var attempts = 0
      sequence = Observable.deferred {
        attempts += 1
        return attempts == 1 ? Observable.of(1).concat(Observable.error(TestError.one)) : following
      }
      .retry()
    }
    let recorder = RecordingObserver<Int>()
    _ = sequence.map { element in
      log.append(element)
      return element
    }.take(2).subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .completed])
    #expect(log == [1, 2])
  }

  @Test("an endless recursion in a sequence that follows another one stops at the disposal")
  func endless() {
    func numbers(_ first: Int) -> Observable<Int> {
      .deferred { numbers(first + 1).startWith(first) }
    }
    let recorder = RecordingObserver<Int>()
    _ = Observable.concat([.of(-1), numbers(0)]).take(5).subscribe(recorder)
    #expect(recorder.elements == [-1, 0, 1, 2, 3])
  }

  @Test("disposal during its elements stops them, but the source is subscribed to")
  func enough() {
    let source = scheduler.hot(.next(210, 1))
    let observer = scheduler.start { source.startWith(7, 8, 9).take(2) }
    #expect(observer.events == [.next(200, 7), .next(200, 8), .completed(200)])
    #expect(source.subscriptions == [Subscription(200, 200)])
  }
}
