import RxLite
import RxLiteTesting
import Testing

@Suite("merge")
struct MergeTests {
  private let scheduler = TestScheduler(initialClock: 0)

  enum Spelling: CaseIterable, Sendable { case list, array, collection, nested }

  private func merge(
    _ spelling: Spelling, _ first: TestableObservable<Int>, _ second: TestableObservable<Int>
  ) -> Observable<Int> {
    let sources = [first.asObservable(), second.asObservable()]
    return switch spelling {
    case .list: Observable.merge(sources[0], sources[1])
    case .array: Observable.merge(sources)
    case .collection: Observable.merge(ArraySlice(sources))
    case .nested: Observable.from(sources).merge()
    }
  }

  @Test(
    "elements are forwarded as they arrive, and the last sequence to complete completes it",
    arguments: Spelling.allCases)
  func interleaves(spelling: Spelling) {
    let first = scheduler.hot(.next(210, 1), .next(230, 3), .completed(240))
    let second = scheduler.hot(.next(220, 2), .next(250, 4), .completed(260))
    let observer = scheduler.start { self.merge(spelling, first, second) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(230, 3), .next(250, 4), .completed(260)])
    #expect(first.subscriptions == [Subscription(200, 240)])
    #expect(second.subscriptions == [Subscription(200, 260)])
  }

  @Test("one error ends all", arguments: Spelling.allCases)
  func error(spelling: Spelling) {
    let first = scheduler.hot(.next(210, 1), .next(230, 3), .completed(240))
    let second = scheduler.hot(.error(220, TestError.one))
    let observer = scheduler.start { self.merge(spelling, first, second) }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.one)])
    #expect(first.subscriptions == [Subscription(200, 220)])
    #expect(second.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes all", arguments: Spelling.allCases)
  func disposed(spelling: Spelling) {
    let (first, second) = (scheduler.hot(.next(210, 1)), scheduler.hot(.next(220, 2)))
    #expect(scheduler.start(disposed: 215) { self.merge(spelling, first, second) }.events == [.next(210, 1)])
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

  @Test("sources after one that fails at once are subscribed to, and disposed at once")
  func errorAtOnce() {
    let second = scheduler.hot(.next(210, 1))
    let observer = scheduler.start { Observable.merge(.error(TestError.one), second.asObservable()) }
    #expect(observer.events == [.error(200, TestError.one)])
    #expect(second.subscriptions == [Subscription(200, 200)])
  }
}
