import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("merge")
struct MergeTests {
  private let scheduler = TestScheduler(initialClock: 0)

  enum Overload: CaseIterable, Sendable { case list, array, collection, nested }

  private func merge(
    _ overload: Overload, _ first: some ObservableType<Int>, _ second: some ObservableType<Int>
  ) -> Observable<Int> {
    let sources = [first.asObservable(), second.asObservable()]
    return switch overload {
    case .list: Observable.merge(sources[0], sources[1])
    case .array: Observable.merge(sources)
    case .collection: Observable.merge(ArraySlice(sources))
    case .nested: Observable.from(sources).merge()
    }
  }

  @Test(
    "elements are forwarded as they arrive, and the last sequence to complete completes it",
    arguments: Overload.allCases)
  func interleaves(overload: Overload) {
    let first = scheduler.hot(.next(210, 1), .next(230, 3), .completed(240))
    let second = scheduler.hot(.next(220, 2), .next(250, 4), .completed(260))
    let observer = scheduler.start { self.merge(overload, first, second) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(230, 3), .next(250, 4), .completed(260)])
    #expect(first.subscriptions == [Subscription(200, 240)])
    #expect(second.subscriptions == [Subscription(200, 260)])
  }

  @Test("one error ends all", arguments: Overload.allCases)
  func error(overload: Overload) {
    let first = scheduler.hot(.next(210, 1), .next(230, 3), .completed(240))
    let second = scheduler.hot(.error(220, TestError.one))
    let observer = scheduler.start { self.merge(overload, first, second) }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.one)])
    #expect(first.subscriptions == [Subscription(200, 220)])
    #expect(second.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes all", arguments: Overload.allCases)
  func disposed(overload: Overload) {
    let (first, second) = (scheduler.hot(.next(210, 1)), scheduler.hot(.next(220, 2)))
    #expect(scheduler.start(disposed: 215) { self.merge(overload, first, second) }.events == [.next(210, 1)])
    #expect(first.subscriptions == [Subscription(200, 215)])
    #expect(second.subscriptions == [Subscription(200, 215)])
  }

  @Test("simultaneous elements arrive in the order of the sources")
  func sameTime() {
    let (first, second) = (scheduler.hot(.next(210, 1)), scheduler.hot(.next(210, 2)))
    #expect(scheduler.start { self.merge(.list, second, first) }.events == [.next(210, 1), .next(210, 2)])
  }

  @Test("an empty list completes at once")
  func none() {
    #expect(scheduler.start { Observable<Int>.merge([]) }.events == [.completed(200)])
  }

  @Test("sources after one that fails at once are not subscribed to", arguments: Overload.allCases)
  func errorAtOnce(overload: Overload) {
    let (first, second) = (Observable<Int>.error(TestError.one), scheduler.hot(.next(210, 1)))
    let observer = scheduler.start { self.merge(overload, first, second) }
    #expect(observer.events == [.error(200, TestError.one)])
    #expect(second.subscriptions == [])
  }

  @Test("in a sequence of sequences, those beyond the limit wait for one to complete", arguments: [1, 2, 3])
  func maxConcurrent(limit: Int) {
    let inner = (0..<3).map { scheduler.cold(.next(10, $0), .completed(50)) }
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .next(230, 2), .completed(240))
    let observer = scheduler.start { outer.map { inner[$0] }.merge(maxConcurrent: limit) }
    let starts = [1: [210, 260, 310], 2: [210, 220, 260], 3: [210, 220, 230]][limit] ?? []
    #expect(inner.map(\.subscriptions) == starts.map { [Subscription($0, $0 + 50)] })
    #expect(
      observer.events == starts.enumerated().map { .next($1 + 10, $0) } + [.completed(starts[2] + 50)])
    #expect(outer.subscriptions == [Subscription(200, 240)])
  }

  @Test("in a sequence of sequences, an error ends all and waiting sequences are not subscribed to")
  func maxConcurrentError() {
    let inner = [scheduler.cold(.error(30, TestError.one)), scheduler.cold(.next(10, 1))]
    let outer = scheduler.hot(.next(210, 0), .next(220, 1))
    let observer = scheduler.start { outer.map { inner[$0] }.merge(maxConcurrent: 1) }
    #expect(observer.events == [.error(240, TestError.one)])
    #expect(inner.map(\.subscriptions) == [[Subscription(210, 240)], []])
    #expect(outer.subscriptions == [Subscription(200, 240)])
  }

  @Test("in a sequence of sequences, with a limit of 0 none is subscribed to", arguments: [0, -1])
  func withoutRoom(limit: Int) {
    let inner = scheduler.cold(.next(10, 1), .completed(20))
    let outer = scheduler.hot(.next(210, 0), .next(220, 0), .completed(250))
    let observer = scheduler.start { outer.map { _ in inner }.merge(maxConcurrent: limit) }
    #expect(observer.events == [.completed(250)])
    #expect(inner.subscriptions == [])
  }
}
