import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("zip")
struct ZipTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the first elements are combined, then the second ones; elements that are ahead wait")
  func pairs() {
    let first = scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .next(225, 3), .completed(250))
    let second = scheduler.hot(.next(230, 10), .next(240, 20), .next(245, 30), .completed(260))
    let observer = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
    #expect(observer.events == [.next(230, 11), .next(240, 22), .next(245, 33), .completed(260)])
    #expect(first.subscriptions == [Subscription(200, 250)])
    #expect(second.subscriptions == [Subscription(200, 260)])
  }

  @Test("an element that can never be paired is dropped, and all sources must end")
  func unequalLengths() {
    let first = scheduler.hot(.next(210, 1), .completed(220))
    let second = scheduler.hot(.next(215, 10), .next(225, 20), .next(227, 30), .completed(230))
    let observer = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
    #expect(observer.events == [.next(215, 11), .completed(230)])
    #expect(first.subscriptions == [Subscription(200, 220)])
    #expect(second.subscriptions == [Subscription(200, 230)])
  }

  @Test("a collection completes when the only running source sends an element that can never be paired")
  func unequalLengthsOfCollection() {
    let first = scheduler.hot(.next(210, 1), .completed(220))
    let second = scheduler.hot(.next(215, 10), .next(225, 20), .completed(230))
    let observer = scheduler.start { Observable.zip([first, second]) { $0.reduce(0, +) } }
    #expect(observer.events == [.next(215, 11), .completed(225)])
    #expect(first.subscriptions == [Subscription(200, 220)])
    #expect(second.subscriptions == [Subscription(200, 225)])
  }

  @Test("an error of the only running source is forwarded, although nothing can be paired any more")
  func errorAfterUnpaired() {
    let empty = scheduler.hot(.completed(210))
    let failing = scheduler.hot(.next(220, 1), .error(230, TestError.one))
    let observer = scheduler.start { Observable.zip(empty, failing) { $0 + $1 } }
    #expect(observer.events == [.error(230, TestError.one)])
    #expect(failing.subscriptions == [Subscription(200, 230)])
  }

  @Test("an element that waits when its source has completed is still paired")
  func waitingAtTheEnd() {
    let first = scheduler.hot(.next(210, 1), .completed(220))
    let second = scheduler.hot(.next(230, 10), .completed(240))
    let observer = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
    #expect(observer.events == [.next(230, 11), .completed(240)])
  }

  @Test("an error of either source ends it although elements wait", arguments: [false, true])
  func error(isSecond: Bool) {
    let failing = scheduler.hot(.next(210, 1), .next(220, 2), .error(230, TestError.one))
    let other = scheduler.hot(.next(215, 10), .completed(300))
    let observer = scheduler.start {
      isSecond ? Observable.zip(other, failing) { $0 + $1 } : Observable.zip(failing, other) { $0 + $1 }
    }
    #expect(observer.events == [.next(215, 11), .error(230, TestError.one)])
    #expect(failing.subscriptions == [Subscription(200, 230)])
    #expect(other.subscriptions == [Subscription(200, 230)])
  }

  @Test("an error that the selector throws ends it")
  func selectorThrows() {
    let (first, second) = (scheduler.hot(.next(210, 1)), scheduler.hot(.next(220, 10)))
    let observer: TestableObserver<Int> = scheduler.start {
      Observable.zip(first, second) { _, _ in throw TestError.one }
    }
    #expect(observer.events == [.error(220, TestError.one)])
    #expect(first.subscriptions == [Subscription(200, 220)])
    #expect(second.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes all sources")
  func disposed() {
    let (first, second) = (scheduler.hot(.next(210, 1)), scheduler.hot(.next(220, 10)))
    let observer = scheduler.start(disposed: 230) { Observable.zip(first, second) { $0 + $1 } }
    #expect(observer.events == [.next(220, 11)])
    #expect(first.subscriptions == [Subscription(200, 230)])
    #expect(second.subscriptions == [Subscription(200, 230)])
  }

  @Test("without a selector it sends tuples")
  func tuples() {
    let recorder = RecordingObserver<(Int, String)>()
    _ = Observable.zip(Observable.of(1, 2), Observable.of("a", "b")).subscribe(recorder)
    #expect(recorder.elements.map { "\($0.0)\($0.1)" } == ["1a", "2b"])
  }

  @Test("three to eight sources send tuples of the first, then of the second elements")
  func tuplesOfMore() {
    let s = (0..<8).map { Observable.of($0, $0 + 10) }
    func all<Tuple>(_ sequence: Observable<Tuple>, _ part: (Tuple) -> Int) -> [Int] {
      let recorder = RecordingObserver<Tuple>()
      _ = sequence.subscribe(recorder)
      return recorder.elements.map(part)
    }
    #expect(all(Observable.zip(s[0], s[1], s[2])) { $0.2 } == [2, 12])
    #expect(all(Observable.zip(s[0], s[1], s[2], s[3])) { $0.3 } == [3, 13])
    #expect(all(Observable.zip(s[0], s[1], s[2], s[3], s[4])) { $0.4 } == [4, 14])
    #expect(all(Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5])) { $0.5 } == [5, 15])
    #expect(all(Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6])) { $0.6 } == [6, 16])
    #expect(all(Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7])) { $0.7 } == [7, 17])
  }

  @Test("three to eight sources are combined", arguments: 3...8)
  func arities(count: Int) {
    let sources = (0..<8).map { scheduler.hot(.next(210 + $0, $0), .completed(230 + $0)) }
    let observer: TestableObserver<[Int]> = scheduler.start {
      let s = sources.map { $0.asObservable() }
      return switch count {
      case 3: Observable.zip(s[0], s[1], s[2]) { [$0, $1, $2] }
      case 4: Observable.zip(s[0], s[1], s[2], s[3]) { [$0, $1, $2, $3] }
      case 5: Observable.zip(s[0], s[1], s[2], s[3], s[4]) { [$0, $1, $2, $3, $4] }
      case 6: Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]) { [$0, $1, $2, $3, $4, $5] }
      case 7: Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) { [$0, $1, $2, $3, $4, $5, $6] }
      default:
        Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) { [$0, $1, $2, $3, $4, $5, $6, $7] }
      }
    }
    let last = count - 1
    #expect(observer.events == [.next(210 + last, Array(0..<count)), .completed(230 + last)])
  }

  @Test(
    "three to eight sources complete with the last one, even if it sends more elements than the others",
    arguments: 3...8)
  func aritiesOfUnequalLengths(count: Int) {
    let ended = (0..<7).map { scheduler.hot(.next(210, $0), .completed(220 + $0)) }
    let last = scheduler.hot(.next(215, 0), .next(230, 1), .next(240, 2), .completed(250))
    let observer = scheduler.start { () -> Observable<Int> in
      let s = ended.map { $0.asObservable() }
      return switch count {
      case 3: .zip(s[0], s[1], last) { $0 + $1 + $2 }
      case 4: .zip(s[0], s[1], s[2], last) { $0 + $1 + $2 + $3 }
      case 5: .zip(s[0], s[1], s[2], s[3], last) { first, _, _, _, last in first + last }
      case 6: .zip(s[0], s[1], s[2], s[3], s[4], last) { first, _, _, _, _, last in first + last }
      case 7: .zip(s[0], s[1], s[2], s[3], s[4], s[5], last) { first, _, _, _, _, _, last in first + last }
      default:
        .zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], last) { first, _, _, _, _, _, _, last in first + last }
      }
    }
    #expect(observer.events.map(\.time) == [215, 250])
    #expect(last.subscriptions == [Subscription(200, 250)])
  }

  @Test("a collection is combined into arrays or by a selector; an empty collection completes at once")
  func collection() {
    let sources = [Observable.of(1, 2), Observable.of(10, 20)]
    let (arrays, sums, nothing) = (
      RecordingObserver<[Int]>(), RecordingObserver<Int>(), RecordingObserver<[Int]>()
    )
    _ = Observable.zip(sources).subscribe(arrays)
    _ = Observable.zip(sources) { $0.reduce(0, +) }.subscribe(sums)
    _ = Observable.zip([Observable<Int>]()).subscribe(nothing)
    #expect(arrays.events == [.next([1, 10]), .next([2, 20]), .completed])
    #expect(sums.events == [.next(11), .next(22), .completed])
    #expect(nothing.events == [.completed])
  }

  @Test("100,000 elements may wait")
  func manyWaiting() {
    let (ahead, behind) = (PublishSubject<Int>(), PublishSubject<Int>())
    var sum = 0
    let subscription = Observable.zip(ahead, behind) { $0 - $1 }.subscribe(onNext: { sum += $0 })
    for element in 0..<100_000 { ahead.onNext(element) }
    for element in 0..<100_000 { behind.onNext(element - 1) }
    subscription.dispose()
    #expect(sum == 100_000)
  }

  @Test("a paired element is released although others wait after it")
  func pairedElementReleased() {
    let liveCount = TrackedObject.LiveCount()
    let (feed, second) = (SingleObserverSource<TrackedObject>(), PublishSubject<Int>())
    let subscription = Observable.zip(feed.observable, second) { first, _ in first.value }.subscribe()
    for value in 0..<10 { feed.send(.next(TrackedObject(value, in: liveCount))) }
    for number in 0..<2 { second.onNext(number) }
    #expect(liveCount.value == 8)
    subscription.dispose()
    #expect(liveCount.value == 0)
  }

  @Test(
    "pending elements are released when another source completes without enough partners", arguments: 0...3)
  func waitingReleased(partners: Int) {
    let liveCount = TrackedObject.LiveCount()
    let (ahead, ended, quiet) = (
      SingleObserverSource<TrackedObject>(), PublishSubject<Int>(), PublishSubject<Int>()
    )
    let recorder = RecordingObserver<Int>()
    let subscription = Observable.zip(ahead.observable, ended, quiet) { first, _, _ in first.value }
      .subscribe(recorder)
    for value in 0..<1_000 { ahead.send(.next(TrackedObject(value, in: liveCount))) }
    for _ in 0..<partners { ended.onNext(0) }
    ended.onCompleted()
    #expect(liveCount.value == partners)
    ahead.send(.next(TrackedObject(1_000, in: liveCount)))
    #expect(liveCount.value == partners)
    for _ in 0..<5 { quiet.onNext(0) }
    #expect(liveCount.value == 0)
    quiet.onCompleted()
    ahead.send(.completed)
    #expect(recorder.events == (0..<partners).map { .next($0) } + [.completed])
    subscription.dispose()
  }

  @Test("in a collection, pending elements are released when another source completes without any")
  func waitingReleasedOfCollection() {
    let liveCount = TrackedObject.LiveCount()
    let (ahead, empty) = (SingleObserverSource<TrackedObject>(), PublishSubject<TrackedObject>())
    let subscription = Observable.zip([ahead.observable, empty.asObservable()]).subscribe()
    for value in 0..<10 { ahead.send(.next(TrackedObject(value, in: liveCount))) }
    #expect(liveCount.value == 10)
    empty.onCompleted()
    #expect(liveCount.value == 0)
    subscription.dispose()
  }

  @Test("an element that can never be paired is released", arguments: [false, true])
  func unpairableReleased(endsPaired: Bool) {
    let liveCount = TrackedObject.LiveCount()
    let (endless, ended, quiet) = (
      SingleObserverSource<TrackedObject>(), PublishSubject<Int>(), PublishSubject<Int>()
    )
    let subscription = Observable.zip(endless.observable, ended, quiet) { first, _, _ in first.value }
      .subscribe()
    if endsPaired {
      // The queue of the ended source becomes empty after the end.
      ended.onNext(0)
      ended.onCompleted()
      endless.send(.next(TrackedObject(in: liveCount)))
      quiet.onNext(0)
    } else {
      ended.onCompleted()
    }
    for value in 0..<10 { endless.send(.next(TrackedObject(value, in: liveCount))) }
    #expect(liveCount.value == 0)
    subscription.dispose()
  }

  @Test("the memory of a burst is freed when its elements are paired", .timeLimit(.minutes(5)))
  func memoryOfBurst() async {
    await #expect(processExitsWith: .success) {
      // Large elements, because the allocator returns only blocks of more than 32 MiB for certain.
      let element = SIMD64<Int>()
      let (first, second) = (PublishSubject<SIMD64<Int>>(), PublishSubject<SIMD64<Int>>())
      let subscription = Observable.zip(first, second).subscribe()
      let before = residentPages()
      for _ in 0..<150_000 { first.onNext(element) }
      let peak = residentPages() - before
      for _ in 0..<150_000 { second.onNext(element) }
      // The allocator keeps a part.
      precondition(peak > 10_000 && (residentPages() - before) * 2 < peak)
      subscription.dispose()
    }
  }
}
