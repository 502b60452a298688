import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("compactMap")
struct CompactMapTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("nil is dropped")
  func elements() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    let observer = scheduler.start { source.compactMap { $0 == 2 ? nil : "\($0)" } }
    #expect(observer.events == [.next(210, "1"), .next(230, "3"), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("one layer of a nested optional is removed")
  func layers() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    let observer = scheduler.start {
      source.compactMap { element -> Int?? in element == 1 ? nil : .some(element == 2 ? nil : element) }
    }
    #expect(observer.events == [.next(220, nil), .next(230, 3), .completed(250)])
  }

  @Test("an error is forwarded, and a silent source stays silent", arguments: [false, true])
  func ends(fails: Bool) {
    let source = scheduler.createHotObservable(
      [.next(210, 1)] + (fails ? [.error(220, TestError.one)] : []))
    let observer = scheduler.start { source.compactMap { _ in nil as String? } }
    #expect(observer.events == (fails ? [.error(220, TestError.one)] : []))
    #expect(source.subscriptions == [Subscription(200, fails ? 220 : 1000)])
  }

  @Test("an error that the closure throws ends the sequence and disposes the source")
  func throwing() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    let observer = scheduler.start {
      source.compactMap { element -> Int? in
        if element == 2 { throw TestError.two }
        return element
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes the source")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3))
    let observer = scheduler.start(disposed: 225) { source.compactMap { $0 == 1 ? nil : $0 } }
    #expect(observer.events == [.next(220, 2)])
    #expect(source.subscriptions == [Subscription(200, 225)])
  }
}
