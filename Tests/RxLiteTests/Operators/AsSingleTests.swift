import RxLite
import RxLiteTesting
import Testing

@Suite("asSingle")
struct AsSingleTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the one element comes when the source ends")
  func one() {
    let source = scheduler.hot(.next(150, 0), .next(210, 1), .completed(250))
    #expect(scheduler.start { source.asSingle() }.events == [.next(250, 1), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("no element is an error when the source ends")
  func none() {
    let source = scheduler.hot(.next(150, 0), .completed(250))
    #expect(scheduler.start { source.asSingle() }.events == [.error(250, RxError.noElements)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("a second element is an error at once")
  func many() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    #expect(scheduler.start { source.asSingle() }.events == [.error(220, RxError.moreThanOneElement)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("an error is the error, though an element came before", arguments: [false, true])
  func error(hasElement: Bool) {
    let source = scheduler.createHotObservable(
      (hasElement ? [.next(210, 1)] : []) + [.error(220, TestError.one)])
    #expect(scheduler.start { source.asSingle() }.events == [.error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("the second of elements sent at once makes one error")
  func synchronous() {
    let probe = Probe<Int>()
    var failures = 0
    _ = Observable<Int>.never().startWith(1, 2, 3, 4).asSingle()
      .do(onError: { _ in failures += 1 }).asObservable().subscribe(probe)
    #expect(probe.events == [.error(RxError.moreThanOneElement)])
    #expect(failures == 1)
  }
}
