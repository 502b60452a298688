import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("mapTo")
struct MapToTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("each element becomes the constant")
  func constant() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    let observer = scheduler.start { source.mapTo("x") }
    #expect(observer.events == [.next(210, "x"), .next(220, "x"), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("an error is forwarded, and disposal disposes the source", arguments: [1_000, 215])
  func ends(disposed: Int) {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    let observer = scheduler.start(disposed: disposed) { source.mapTo(0) }
    #expect(observer.events == [.next(210, 0)] + (disposed == 215 ? [] : [.error(220, TestError.one)]))
    #expect(source.subscriptions == [Subscription(200, min(disposed, 220))])
  }

  @Test("infallibles, singles and maybes are mapped in the same way")
  func traits() {
    let recorders = (0..<4).map { _ in RecordingObserver<String>() }
    _ = Infallible.of(1, 2).mapTo("x").asObservable().subscribe(recorders[0])
    _ = Single.just(1).mapTo("x").asObservable().subscribe(recorders[1])
    _ = Maybe.just(1).mapTo("x").asObservable().subscribe(recorders[2])
    _ = Maybe<Int>.empty().mapTo("x").asObservable().subscribe(recorders[3])
    #expect(recorders.map(\.elements) == [["x", "x"], ["x"], ["x"], []])
    #expect(recorders.allSatisfy { $0.events.last == .completed })
  }
}
