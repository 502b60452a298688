import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("unwrap")
struct UnwrapTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func isOdd(_ number: Int) -> Int? { number.isMultiple(of: 2) ? nil : number }

  @Test("nil is dropped, other elements are forwarded")
  func drops() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    let observer = scheduler.start { source.map(isOdd).unwrap() }
    #expect(observer.events == [.next(210, 1), .next(230, 3), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("an error is forwarded, and disposal disposes the source", arguments: [1_000, 225])
  func ends(disposed: Int) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .error(230, TestError.one))
    let observer = scheduler.start(disposed: disposed) { source.map(isOdd).unwrap() }
    #expect(observer.events == [.next(210, 1)] + (disposed == 225 ? [] : [.error(230, TestError.one)]))
    #expect(source.subscriptions == [Subscription(200, min(disposed, 230))])
  }

  @Test("one layer is removed")
  func layers() {
    let recorder = RecordingObserver<Int?>()
    let layered: Observable<Int??> = .of(.some(1), .some(nil), nil)
    _ = layered.unwrap().subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(nil), .completed])
  }

  @Test("infallibles and maybes are unwrapped in the same way")
  func traits() {
    let (numbers, maybe, nothing) = (
      RecordingObserver<Int>(), RecordingObserver<Int>(), RecordingObserver<Int>()
    )
    _ = Infallible<Int?>.of(1, nil, 3).unwrap().asObservable().subscribe(numbers)
    _ = Maybe<Int?>.just(1).unwrap().asObservable().subscribe(maybe)
    _ = Maybe<Int?>.just(nil).unwrap().asObservable().subscribe(nothing)
    #expect(numbers.events == [.next(1), .next(3), .completed])
    #expect(maybe.events == [.next(1), .completed])
    #expect(nothing.events == [.completed])
  }
}
