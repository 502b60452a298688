import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("enumerated")
struct EnumeratedTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func counted(_ source: TestableObservable<Int>) -> Observable<String> {
    source.enumerated().map { index, element in "\(index):\(element)" }
  }

  @Test("elements are counted from 0")
  func counts() {
    let source = scheduler.hot(.next(150, 9), .next(210, 5), .next(220, 5), .next(230, 7), .completed(250))
    let observer = scheduler.start { self.counted(source) }
    #expect(
      observer.events == [.next(210, "0:5"), .next(220, "1:5"), .next(230, "2:7"), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("the tuple's parts have names")
  func names() {
    var seen: [Int] = []
    _ = Observable.of(10, 20).enumerated().subscribe(onNext: { pair in seen += [pair.index, pair.element] })
    #expect(seen == [0, 10, 1, 20])
  }

  @Test("empty, failing and silent sources are unchanged", arguments: [0, 1, 2])
  func ends(ending: Int) {
    let ends: [[Recorded<Event<Int>>]] = [[.completed(250)], [.error(250, TestError.one)], []]
    let source = scheduler.createHotObservable(ends[ending])
    let observer = scheduler.start { source.enumerated().map(\.element) }
    #expect(observer.events == ends[ending])
    #expect(source.subscriptions == [Subscription(200, ending == 2 ? 1000 : 250)])
  }

  @Test("disposal disposes the source")
  func disposed() {
    let source = scheduler.hot(.next(210, 5), .next(220, 6))
    #expect(scheduler.start(disposed: 215) { self.counted(source) }.events == [.next(210, "0:5")])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test("each subscription starts at 0")
  func anew() {
    let counted = Observable.of("a", "b").enumerated().map { index, element in "\(index)\(element)" }
    let recorder = RecordingObserver<String>()
    _ = counted.concat(counted).subscribe(recorder)
    #expect(recorder.events == [.next("0a"), .next("1b"), .next("0a"), .next("1b"), .completed])
  }
}
