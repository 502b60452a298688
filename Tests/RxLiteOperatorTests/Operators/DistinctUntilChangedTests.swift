import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("distinctUntilChanged")
struct DistinctUntilChangedTests {
  private let scheduler = TestScheduler(initialClock: 0)

  enum Overload: CaseIterable, Sendable { case plain, key, comparer, keyPath, keyAndComparer }

  @Test(
    "an element that equals the previous one is dropped, one that equals an earlier one is not",
    arguments: Overload.allCases)
  func leavesOut(overload: Overload) {
    let source = scheduler.hot(
      .next(150, 1), .next(210, 1), .next(220, 1), .next(230, 2), .next(240, 2), .next(250, 1),
      .completed(260))
    let observer = scheduler.start {
      switch overload {
      case .plain: source.distinctUntilChanged()
      case .key: source.distinctUntilChanged { $0 * 10 }
      case .comparer: source.distinctUntilChanged { $0 == $1 }
      case .keyPath: source.distinctUntilChanged(at: \.description)
      case .keyAndComparer: source.distinctUntilChanged({ $0 * 10 }, comparer: { $0 == $1 })
      }
    }
    #expect(observer.events == [.next(210, 1), .next(230, 2), .next(250, 1), .completed(260)])
    #expect(source.subscriptions == [Subscription(200, 260)])
  }

  @Test("elements are compared with the last sent element, not with the last dropped one")
  func comparesWithLastSent() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.of(1, 2, 3, 4).distinctUntilChanged { abs($0 - $1) < 2 }.subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(3), .completed])
  }

  @Test("the comparer receives the last sent element, then the new one")
  func orderOfComparison() {
    let (elements, keys) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    let source = Observable.of(1, 3, 2, 4)
    _ = source.distinctUntilChanged { $0 >= $1 }.subscribe(elements)
    _ = source.distinctUntilChanged({ -$0 }, comparer: { $0 <= $1 }).subscribe(keys)
    #expect(elements.elements == [1, 3, 4])
    #expect(keys.elements == [1, 3, 4])
  }

  @Test("nil is an element like any other")
  func optionals() {
    let recorder = RecordingObserver<Int?>()
    _ = Observable<Int?>.of(nil, nil, 1, nil).distinctUntilChanged().subscribe(recorder)
    #expect(recorder.elements == [nil, 1, nil])
  }

  @Test("an error that the comparer throws ends it")
  func comparerThrows() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(250))
    let observer = scheduler.start { source.distinctUntilChanged { _, _ in throw TestError.one } }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }
}
