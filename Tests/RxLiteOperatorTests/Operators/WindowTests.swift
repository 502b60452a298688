import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("window(timeSpan:count:)")
struct WindowTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source(_ stop: Recorded<Event<Int>> = .completed(600)) -> TestableObservable<Int> {
    scheduler.hot(
      .next(105, 0), .next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4), .next(320, 5), .next(350, 6),
      .next(370, 7), .next(420, 8), .next(470, 9), stop)
  }

  private func labelled(_ source: TestableObservable<Int>) -> Observable<String> {
    source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).enumerated()
      .map { index, window in window.map { "\(index) \($0)" } }.merge()
  }

  private static let elements: [Recorded<Event<String>>] = [
    .next(205, "0 1"), .next(210, "0 2"), .next(240, "0 3"), .next(280, "1 4"), .next(320, "2 5"),
    .next(350, "2 6"), .next(370, "2 7"), .next(420, "3 8"), .next(470, "4 9"),
  ]

  @Test("a window ends when it is full or the time is up", arguments: [false, true])
  func basic(fails: Bool) {
    let source = source(fails ? .error(600, TestError.one) : .completed(600))
    let observer = scheduler.start { self.labelled(source) }
    #expect(observer.events == Self.elements + [fails ? .error(600, TestError.one) : .completed(600)])
    #expect(source.subscriptions == [Subscription(200, 600)])
  }

  @Test("disposal ends the observed windows")
  func disposed() {
    let source = source()
    #expect(scheduler.start(disposed: 370) { self.labelled(source) }.events == Array(Self.elements[..<7]))
    #expect(source.subscriptions == [Subscription(200, 370)])
  }

  @Test("the first window is sent at once, and each ends before the next is sent")
  func order() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(250))
    let log = Log()
    let scheduler = scheduler
    _ = scheduler.start {
      source.window(timeSpan: .seconds(1_000), count: 1, scheduler: scheduler).do(onNext: { window in
        log.add("\(scheduler.clock) window")
        _ = window.subscribe { log.add("\(scheduler.clock) \($0)") }
      })
    }
    #expect(
      log.lines == [
        "200 window", "210 next(1)", "210 completed", "210 window", "220 next(2)", "220 completed",
        "220 window", "250 completed",
      ])
  }

  @Test("an observed window keeps the source after the sequence is disposed")
  func retained() {
    let source = source()
    let observer = scheduler.createObserver(Int.self)
    var window: (any Disposable)?
    scheduler.scheduleAt(200) {
      _ = source.window(timeSpan: .seconds(1_000), count: 100, scheduler: scheduler).take(1)
        .subscribe(onNext: { window = $0.subscribe(observer) })
    }
    scheduler.scheduleAt(300) { window?.dispose() }
    scheduler.start()
    #expect(observer.events == [.next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4)])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test("without a count, only the time ends a window")
  func timeAlone() {
    let source = source(.completed(300))
    let observer = scheduler.start {
      source.window(timeSpan: .seconds(70), count: 0, scheduler: scheduler).flatMap { $0.toArray() }
    }
    #expect(observer.events == [.next(270, [1, 2, 3]), .next(300, [4]), .completed(300)])
  }

  @Test("an error ends the open window first, then the sequence")
  func errorInWindow() {
    let source = scheduler.hot(.next(210, 1), .error(250, TestError.one))
    let log = Log()
    let scheduler = scheduler
    _ = scheduler.start {
      source.window(timeSpan: .seconds(1_000), count: 9, scheduler: scheduler).do(
        onNext: { window in _ = window.subscribe { log.add("\(scheduler.clock) \($0)") } },
        onError: { log.add("\(scheduler.clock) sequence \($0)") })
    }
    #expect(log.lines == ["210 next(1)", "250 error(one)", "250 sequence one"])
  }

  @Test("after disposal no window is opened, although the last one is still observed")
  func noneAfterDisposal() {
    let source = source()
    let observer = scheduler.createObserver(Int.self)
    var windows = 0
    _ = scheduler.start(disposed: 220) {
      source.window(timeSpan: .seconds(70), count: 100, scheduler: scheduler).do(onNext: { window in
        windows += 1
        _ = window.subscribe(observer)
      })
    }
    #expect(observer.events == [.next(205, 1), .next(210, 2), .next(240, 3), .completed(270)])
    #expect(windows == 1)
    #expect(source.subscriptions == [Subscription(200, 270)])
  }
}
