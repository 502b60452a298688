import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("concat")
struct ConcatTests {
  private let scheduler = TestScheduler(initialClock: 0)

  enum Overload: CaseIterable, Sendable { case method, list, array, sequence }

  private func concat(
    _ overload: Overload, _ first: TestableObservable<Int>, _ second: TestableObservable<Int>
  ) -> Observable<Int> {
    let sources = [first.asObservable(), second.asObservable()]
    return switch overload {
    case .method: first.concat(second)
    case .list: Observable.concat(sources[0], sources[1])
    case .array: Observable.concat(sources)
    case .sequence: Observable.concat(AnySequence(sources))
    }
  }

  @Test("each sequence is subscribed to when the previous one has completed", arguments: Overload.allCases)
  func follows(overload: Overload) {
    let first = scheduler.cold(.next(10, 1), .next(20, 2), .completed(30))
    let second = scheduler.cold(.next(10, 3), .completed(40))
    let observer = scheduler.start { self.concat(overload, first, second) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(240, 3), .completed(270)])
    #expect(first.subscriptions == [Subscription(200, 230)])
    #expect(second.subscriptions == [Subscription(230, 270)])
  }

  @Test("elements of a hot sequence before its subscription are missed", arguments: Overload.allCases)
  func hot(overload: Overload) {
    let first = scheduler.hot(.next(210, 1), .completed(230))
    let second = scheduler.hot(.next(220, 2), .next(240, 3), .completed(250))
    let observer = scheduler.start { self.concat(overload, first, second) }
    #expect(observer.events == [.next(210, 1), .next(240, 3), .completed(250)])
    #expect(second.subscriptions == [Subscription(230, 250)])
  }

  @Test("an error ends it, and later sequences are not subscribed to", arguments: Overload.allCases)
  func error(overload: Overload) {
    let first = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let second = scheduler.cold(.next(10, 3))
    let observer = scheduler.start { self.concat(overload, first, second) }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.one)])
    #expect(first.subscriptions == [Subscription(200, 220)])
    #expect(second.subscriptions == [])
  }

  @Test("disposal disposes the running sequence", arguments: Overload.allCases)
  func disposed(overload: Overload) {
    let first = scheduler.cold(.next(10, 1), .completed(20))
    let second = scheduler.cold(.next(10, 3), .next(20, 4), .completed(30))
    let observer = scheduler.start(disposed: 235) { self.concat(overload, first, second) }
    #expect(observer.events == [.next(210, 1), .next(230, 3)])
    #expect(second.subscriptions == [Subscription(220, 235)])
  }

  @Test("the next sequence is requested only when it is needed")
  func lazy() {
    var made = 0
    let endless = AnySequence<Observable<Int>> {
      AnyIterator {
        made += 1
        return made < 3 ? .just(made) : .never()
      }
    }
    let observer = scheduler.start { Observable.concat(endless) }
    #expect(observer.events == [.next(200, 1), .next(200, 2)])
    #expect(made == 3)
  }

  @Test("an empty list completes at once")
  func none() {
    #expect(scheduler.start { Observable<Int>.concat([Observable<Int>]()) }.events == [.completed(200)])
  }
}
