import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("combineLatest")
struct CombineLatestTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("each element is combined with the latest of the other")
  func combines() {
    let first = scheduler.hot(.next(150, 0), .next(210, 1), .next(230, 2), .next(240, 3), .completed(250))
    let second = scheduler.hot(.next(220, 10), .next(245, 20), .completed(260))
    let observer = scheduler.start { Observable.combineLatest(first, second) { $0 + $1 } }
    #expect(
      observer.events == [
        .next(220, 11), .next(230, 12), .next(240, 13), .next(245, 23), .completed(260),
      ])
    #expect(first.subscriptions == [Subscription(200, 250)])
    #expect(second.subscriptions == [Subscription(200, 260)])
  }

  @Test("the latest element of a source that has completed remains in use")
  func oneEnds() {
    let first = scheduler.hot(.next(210, 1), .completed(215))
    let second = scheduler.hot(.next(220, 10), .next(230, 20), .completed(240))
    let observer = scheduler.start { Observable.combineLatest(first, second) { $0 + $1 } }
    #expect(observer.events == [.next(220, 11), .next(230, 21), .completed(240)])
    #expect(first.subscriptions == [Subscription(200, 215)])
  }

  @Test("if one source is empty, the next element of the only running source completes it")
  func emptySource() {
    let first = scheduler.hot(.completed(210))
    let second = scheduler.hot(.next(215, 2), .completed(220))
    let observer = scheduler.start { Observable.combineLatest(first, second) { $0 + $1 } }
    #expect(observer.events == [.completed(215)])
    #expect(first.subscriptions == [Subscription(200, 210)])
    #expect(second.subscriptions == [Subscription(200, 215)])
  }

  @Test("an error of either source ends it", arguments: [false, true])
  func error(isSecond: Bool) {
    let failing = scheduler.hot(.next(210, 1), .error(230, TestError.one))
    let other = scheduler.hot(.next(220, 10), .completed(300))
    let observer = scheduler.start {
      isSecond
        ? Observable.combineLatest(other, failing) { $0 + $1 }
        : Observable.combineLatest(failing, other) { $0 + $1 }
    }
    #expect(observer.events == [.next(220, 11), .error(230, TestError.one)])
    #expect(failing.subscriptions == [Subscription(200, 230)])
    #expect(other.subscriptions == [Subscription(200, 230)])
  }

  @Test("disposal disposes all sources")
  func disposed() {
    let (first, second) = (scheduler.hot(.next(210, 1)), scheduler.hot(.next(220, 10)))
    let observer = scheduler.start(disposed: 230) { Observable.combineLatest(first, second) { $0 + $1 } }
    #expect(observer.events == [.next(220, 11)])
    #expect(first.subscriptions == [Subscription(200, 230)])
    #expect(second.subscriptions == [Subscription(200, 230)])
  }

  @Test("without a selector it sends tuples")
  func tuples() {
    let recorder = RecordingObserver<(Int, String)>()
    _ = Observable.combineLatest(Observable.just(1), Observable.of("a", "b")).subscribe(recorder)
    #expect(recorder.elements.map { "\($0.0)\($0.1)" } == ["1a", "1b"])
  }

  @Test("three to eight sources send tuples of the latest elements")
  func tuplesOfMore() {
    let (o, two) = (Observable.just(0), Observable.of(1, 2))
    func all<Tuple>(_ sequence: Observable<Tuple>, _ part: (Tuple) -> Int) -> [Int] {
      let recorder = RecordingObserver<Tuple>()
      _ = sequence.subscribe(recorder)
      return recorder.elements.map(part)
    }
    #expect(all(Observable.combineLatest(o, o, two)) { $0.2 } == [1, 2])
    #expect(all(Observable.combineLatest(o, o, o, two)) { $0.3 } == [1, 2])
    #expect(all(Observable.combineLatest(o, o, o, o, two)) { $0.4 } == [1, 2])
    #expect(all(Observable.combineLatest(o, o, o, o, o, two)) { $0.5 } == [1, 2])
    #expect(all(Observable.combineLatest(o, o, o, o, o, o, two)) { $0.6 } == [1, 2])
    #expect(all(Observable.combineLatest(o, o, o, o, o, o, o, two)) { $0.7 } == [1, 2])
  }

  /// Combines the first `count` of eight sources into arrays.
  private func combined(_ sources: [TestableObservable<Int>], _ count: Int) -> Observable<[Int]> {
    let s = sources.map { $0.asObservable() }
    return switch count {
    case 3: .combineLatest(s[0], s[1], s[2]) { [$0, $1, $2] }
    case 4: .combineLatest(s[0], s[1], s[2], s[3]) { [$0, $1, $2, $3] }
    case 5: .combineLatest(s[0], s[1], s[2], s[3], s[4]) { [$0, $1, $2, $3, $4] }
    case 6: .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) { [$0, $1, $2, $3, $4, $5] }
    case 7: .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) { [$0, $1, $2, $3, $4, $5, $6] }
    default:
      .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) { [$0, $1, $2, $3, $4, $5, $6, $7] }
    }
  }

  @Test("three to eight sources combine", arguments: 3...8)
  func arities(count: Int) {
    let sources = (0..<8).map { scheduler.hot(.next(210 + $0, $0), .completed(230 + $0)) }
    let observer = scheduler.start { combined(sources, count) }
    let last = count - 1
    #expect(observer.events == [.next(210 + last, Array(0..<count)), .completed(230 + last)])
    for index in 0..<count { #expect(sources[index].subscriptions == [Subscription(200, 230 + index)]) }
  }

  @Test("one source, and more than eight, combine")
  func otherNumbers() throws {
    let one = Observable.combineLatest(Observable.of(1, 2), resultSelector: { $0 * 10 })
    #expect(try one.toBlocking().toArray() == [10, 20])
    let number = Observable.just(1)
    let nine = Observable.combineLatest(
      number, number, number, number, number, number, number, number, Observable.of("a", "b"),
      resultSelector: { "\($0 + $1 + $2 + $3 + $4 + $5 + $6 + $7)\($8)" })
    #expect(try nine.toBlocking().toArray() == ["8a", "8b"])
  }

  @Test(
    "each element of one of three to eight sources is combined with the latest elements of the others",
    arguments: 3...8)
  func aritiesOfSeveralElements(count: Int) {
    let sources = (0..<8).map { index in
      scheduler.createHotObservable(
        [.next(210 + index, index)] + (index == 0 ? [.next(230, 10), .next(240, 20)] : []) + [.completed(250)]
      )
    }
    let observer = scheduler.start { combined(sources, count).map { $0[0] } }
    #expect(observer.events == [.next(209 + count, 0), .next(230, 10), .next(240, 20), .completed(250)])
  }

  @Test(
    "if the others of three to eight sources are empty, the next element of the last one completes it",
    arguments: 3...8)
  func emptySourceOfMany(count: Int) {
    let sources = (0..<8).map { index in
      index == count - 1
        ? scheduler.hot(.next(250, 1), .completed(300)) : scheduler.hot(.completed(210 + index))
    }
    #expect(scheduler.start { combined(sources, count) }.events == [.completed(250)])
    #expect(sources[count - 1].subscriptions == [Subscription(200, 250)])
  }

  @Test("any number of sources are combined into arrays, or by a selector")
  func collection() {
    let sources = [
      scheduler.hot(.next(210, 1), .next(225, 3), .completed(230)),
      scheduler.hot(.next(220, 2), .completed(240)),
    ]
    .map { $0.asObservable() }
    let (arrays, sums) = (scheduler.createObserver([Int].self), scheduler.createObserver(Int.self))
    _ = Observable.combineLatest(sources).subscribe(arrays)
    _ = Observable.combineLatest(sources) { $0.reduce(0, +) }.subscribe(sums)
    scheduler.start()
    #expect(arrays.events == [.next(220, [1, 2]), .next(225, [3, 2]), .completed(240)])
    #expect(sums.events == [.next(220, 3), .next(225, 5), .completed(240)])
  }

  @Test("without sources, one empty result is sent")
  func emptyCollection() {
    let recorder = RecordingObserver<[Int]>()
    _ = Observable.combineLatest([Observable<Int>]()).subscribe(recorder)
    #expect(recorder.events == [.next([]), .completed])
  }

  @Test("without sources, an error that the selector throws is sent")
  func emptyCollectionThrows() {
    let recorder = RecordingObserver<Int>()
    _ = Observable<Int>.combineLatest([Observable<Int>]()) { _ in throw TestError.one }.subscribe(recorder)
    #expect(recorder.events == [.error(TestError.one)])
  }

  @Test("without sources, the result is made anew for each subscription")
  func emptyCollectionAnew() {
    var calls = 0
    let none = Observable<Int>.combineLatest([Observable<Int>]()) { elements in
      calls += 1
      return elements.count + calls
    }
    #expect(calls == 0)
    let recorders = (0..<2).map { _ in RecordingObserver<Int>() }
    for recorder in recorders { _ = none.subscribe(recorder) }
    #expect(recorders.map(\.events) == [[.next(1), .completed], [.next(2), .completed]])
  }

  @Test("each source of a lazy collection is made once", arguments: [true, false])
  func lazyCollection(isLatest: Bool) {
    var made = 0
    let sources = [1, 2].lazy.map { number -> Observable<Int> in
      made += 1
      return .just(number)
    }
    _ = (isLatest ? Observable.combineLatest(sources) { $0 } : Observable.zip(sources) { $0 }).subscribe()
    #expect(made == 2)
  }
}
