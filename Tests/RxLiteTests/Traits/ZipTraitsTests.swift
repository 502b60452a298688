import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("zip of singles and maybes")
struct ZipTraitsTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the result is sent with the last element")
  func single() {
    let first = scheduler.cold(.next(10, 1), .completed(10))
    let second = scheduler.cold(.next(30, 2), .completed(30))
    let observer = scheduler.start { Single.zip(first.asSingle(), second.asSingle()) { $0 + $1 } }
    #expect(observer.events == [.next(230, 3), .completed(230)])
    #expect(first.subscriptions == [Subscription(200, 210)])
    #expect(second.subscriptions == [Subscription(200, 230)])
  }

  @Test("one error ends all")
  func error() {
    let first = scheduler.cold(.next(50, 1), .completed(50))
    let second = scheduler.cold(.error(30, TestError.one))
    let observer = scheduler.start { Single.zip([first.asSingle(), second.asSingle()]) { $0.reduce(0, +) } }
    #expect(observer.events == [.error(230, TestError.one)])
    #expect(first.subscriptions == [Subscription(200, 230)])
  }

  @Test("an error that the selector throws is the error of the result")
  func throwing() {
    let observer = scheduler.start {
      Single<Int>.zip(Single.just(1), Single.just(2)) { _, _ in throw TestError.two }
    }
    #expect(observer.events == [.error(200, TestError.two)])
  }

  @Test(
    "any number are combined, as an array or by a selector; an empty array gives the result of no elements")
  func arrays() throws {
    let singles = (1...4).map { Single.just($0) }
    var results: [[Int]] = []
    _ = Single.zip(singles).subscribe(onSuccess: { results.append($0) })
    _ = Single.zip(singles) { [$0.reduce(0, +)] }.subscribe(onSuccess: { results.append($0) })
    _ = Single<Int>.zip([]).subscribe(onSuccess: { results.append($0) })
    #expect(results == [[1, 2, 3, 4], [10], []])
  }

  @Test("the result for no singles is made anew for each subscription, and may be an error")
  func noSingles() {
    var calls = 0
    let none = Single<Int>.zip([Single<Int>]()) { elements -> Int in
      calls += 1
      if calls == 2 { throw TestError.one }
      return elements.count + calls
    }
    #expect(calls == 0)
    let recorders = (0..<3).map { _ in RecordingObserver<Int>() }
    for recorder in recorders { _ = none.asObservable().subscribe(recorder) }
    #expect(
      recorders.map(\.events) == [
        [.next(1), .completed], [.error(TestError.one)], [.next(3), .completed],
      ])
  }

  @Test("if a maybe has no element, the result has none")
  func empty() {
    let observer = scheduler.start { Maybe.zip(Maybe<Int>.empty(), Maybe.just(2)) { $0 + $1 } }
    #expect(observer.events == [.completed(200)])
  }

  @Test("two to eight singles are zipped through a selector")
  func singleArities() {
    func s(_ number: Int) -> Single<Int> { .just(number) }
    let sums: [Single<Int>] = [
      .zip(s(1), s(2)) { $0 + $1 }, .zip(s(1), s(2), s(3)) { $0 + $1 + $2 },
      .zip(s(1), s(2), s(3), s(4)) { $0 + $1 + $2 + $3 },
      .zip(s(1), s(2), s(3), s(4), s(5)) { [$0, $1, $2, $3, $4].reduce(0, +) },
      .zip(s(1), s(2), s(3), s(4), s(5), s(6)) { [$0, $1, $2, $3, $4, $5].reduce(0, +) },
      .zip(s(1), s(2), s(3), s(4), s(5), s(6), s(7)) { [$0, $1, $2, $3, $4, $5, $6].reduce(0, +) },
      .zip(s(1), s(2), s(3), s(4), s(5), s(6), s(7), s(8)) { [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +) },
    ]
    var results: [Int] = []
    for sum in sums { _ = sum.subscribe(onSuccess: { results.append($0) }) }
    #expect(results == [3, 6, 10, 15, 21, 28, 36])
  }

  @Test("two to eight maybes are zipped into tuples")
  func tuples() {
    func m(_ number: Int) -> Maybe<Int> { .just(number) }
    var last: [Int] = []
    _ = Single.zip(Single.just(1), Single.just("2")).subscribe(onSuccess: { last.append(Int($0.1) ?? 0) })
    _ = Maybe.zip(m(1), m(2)).subscribe(onSuccess: { last.append($0.1) })
    _ = Maybe.zip(m(1), m(2), m(3)).subscribe(onSuccess: { last.append($0.2) })
    _ = Maybe.zip(m(1), m(2), m(3), m(4)).subscribe(onSuccess: { last.append($0.3) })
    _ = Maybe.zip(m(1), m(2), m(3), m(4), m(5)).subscribe(onSuccess: { last.append($0.4) })
    _ = Maybe.zip(m(1), m(2), m(3), m(4), m(5), m(6)).subscribe(onSuccess: { last.append($0.5) })
    _ = Maybe.zip(m(1), m(2), m(3), m(4), m(5), m(6), m(7)).subscribe(onSuccess: { last.append($0.6) })
    _ = Maybe.zip(m(1), m(2), m(3), m(4), m(5), m(6), m(7), m(8)).subscribe(onSuccess: { last.append($0.7) })
    #expect(last == [2, 2, 3, 4, 5, 6, 7, 8])
  }
}
