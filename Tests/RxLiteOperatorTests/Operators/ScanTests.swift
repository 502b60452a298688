import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("scan")
struct ScanTests {
  private let scheduler = TestScheduler(initialClock: 0)

  /// The two spellings of a running sum from 100, which throws at an element.
  private func sums(
    _ source: TestableObservable<Int>, into: Bool, throwingAt bad: Int? = nil
  ) -> Observable<Int> {
    func check(_ element: Int) throws {
      if element == bad { throw TestError.two }
    }
    return into
      ? source.scan(into: 100) {
        try check($1)
        $0 += $1
      }
      : source.scan(100) {
        try check($1)
        return $0 + $1
      }
  }

  @Test("each intermediate result is sent, but not the seed", arguments: [false, true])
  func results(into: Bool) {
    let source = scheduler.hot(
      .next(150, 9), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    let observer = scheduler.start { self.sums(source, into: into) }
    #expect(observer.events == [.next(210, 101), .next(220, 103), .next(230, 106), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test(
    "without elements there is no result, at completion, at an error or in silence", arguments: [0, 1, 2])
  func none(ending: Int) {
    let ends: [[Recorded<Event<Int>>]] = [[.completed(250)], [.error(250, TestError.one)], []]
    let source = scheduler.createHotObservable(ends[ending])
    #expect(scheduler.start { self.sums(source, into: true) }.events == ends[ending])
    #expect(source.subscriptions == [Subscription(200, ending == 2 ? 1000 : 250)])
  }

  @Test(
    "an error that the closure throws ends the sequence and disposes the source", arguments: [false, true])
  func throwing(into: Bool) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    let observer = scheduler.start { self.sums(source, into: into, throwingAt: 2) }
    #expect(observer.events == [.next(210, 101), .error(220, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes the source", arguments: [false, true])
  func disposed(into: Bool) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3))
    let observer = scheduler.start(disposed: 225) { self.sums(source, into: into) }
    #expect(observer.events == [.next(210, 101), .next(220, 103)])
    #expect(source.subscriptions == [Subscription(200, 225)])
  }

  @Test("each subscription starts from the seed")
  func anew() {
    let sums = Observable.of(1, 2).scan(into: []) { $0.append($1) }
    let recorder = RecordingObserver<[Int]>()
    _ = sums.concat(sums).subscribe(recorder)
    #expect(recorder.elements == [[1], [1, 2], [1], [1, 2]])
  }
}
