import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("amb", .timeLimit(.minutes(5)))
struct AmbTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the first sequence to send an element wins, and the other is disposed", arguments: [false, true])
  func element(isSecond: Bool) {
    let winner = scheduler.hot(.next(210, 1), .next(230, 3), .completed(250))
    let loser = scheduler.hot(.next(220, 2), .completed(240))
    let observer = scheduler.start { isSecond ? loser.amb(winner) : winner.amb(loser) }
    #expect(observer.events == [.next(210, 1), .next(230, 3), .completed(250)])
    #expect(winner.subscriptions == [Subscription(200, 250)])
    #expect(loser.subscriptions == [Subscription(200, 210)])
  }

  @Test("a stop event wins too", arguments: [false, true])
  func stop(fails: Bool) {
    let stop: Recorded<Event<Int>> = fails ? .error(210, TestError.one) : .completed(210)
    let (winner, loser) = (scheduler.hot(stop), scheduler.hot(.next(220, 2)))
    #expect(scheduler.start { loser.amb(winner) }.events == [stop])
    #expect(winner.subscriptions == [Subscription(200, 210)])
    #expect(loser.subscriptions == [Subscription(200, 210)])
  }

  @Test("the loser is disposed before the first element is delivered")
  func order() {
    let (winner, loser) = (PublishSubject<Int>(), PublishSubject<Int>())
    var seen: [Bool] = []
    _ = winner.amb(loser).subscribe(onNext: { _ in seen.append(loser.hasObservers) })
    winner.onNext(1)
    #expect(seen == [false])
  }

  @Test("there may be many sequences, or none")
  func many() {
    let sources = [
      scheduler.hot(.next(230, 3)), scheduler.hot(.next(210, 1), .completed(220)),
      scheduler.hot(.next(215, 2)),
    ]
    #expect(
      scheduler.start { Observable.amb(sources.map { $0.asObservable() }) }.events == [
        .next(210, 1), .completed(220),
      ])
    #expect(
      sources.map(\.subscriptions) == [
        [Subscription(200, 210)], [Subscription(200, 220)], [Subscription(200, 210)],
      ])
    let recorder = RecordingObserver<Int>()
    _ = Observable<Int>.amb([]).subscribe(recorder)
    #expect(recorder.events == [])
  }

  @Test("a list is iterated once, for all subscriptions")
  func iteratesOnce() {
    var made = 0
    let sources = (1...2).lazy.map { number -> Observable<Int> in
      made += 1
      return .just(number)
    }
    let first = Observable.amb(sources)
    for _ in 0..<2 {
      let recorder = RecordingObserver<Int>()
      _ = first.subscribe(recorder)
      #expect(recorder.events == [.next(1), .completed])
    }
    #expect(made == 2)
  }

  @Test("disposal before the first event disposes both")
  func disposed() {
    let (first, second) = (scheduler.hot(.next(220, 1)), scheduler.hot(.next(220, 2)))
    #expect(scheduler.start(disposed: 210) { first.amb(second) }.events == [])
    #expect(first.subscriptions == [Subscription(200, 210)])
    #expect(second.subscriptions == [Subscription(200, 210)])
  }

  @Test("a sequence that sends at once wins, and the other is released")
  func atOnce() {
    let loser = scheduler.hot(.next(210, 1))
    #expect(scheduler.start { Observable.just(7).amb(loser) }.events == [.next(200, 7), .completed(200)])
    #expect(loser.subscriptions == [Subscription(200, 200)])
  }

  @Test("one of several threads wins")
  func threads() {
    for _ in 0..<50 {
      let (first, second, recorder) = (PublishSubject<Int>(), PublishSubject<Int>(), RecordingObserver<Int>())
      _ = first.amb(second).subscribe(recorder)
      onThreads(2) { thread in
        for _ in 0..<20 { (thread == 0 ? first : second).onNext(thread) }
      }
      #expect(Set(recorder.elements).count == 1)
      #expect(recorder.elements.count == 20)
      #expect(recorder.overlaps == 0)
    }
  }
}
