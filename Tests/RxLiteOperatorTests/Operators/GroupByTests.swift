import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("groupBy")
struct GroupByTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source(_ stop: Recorded<Event<Int>> = .completed(300)) -> TestableObservable<Int> {
    scheduler.hot(
      .next(150, 0), .next(210, 11), .next(220, 21), .next(230, 12), .next(240, 31), .next(250, 22), stop)
  }

  @Test("a group is sent with the first element of its key", arguments: [false, true])
  func groups(fails: Bool) {
    let stop: Recorded<Event<Int>> = fails ? .error(300, TestError.one) : .completed(300)
    let source = source(stop)
    let observer = scheduler.start { source.groupBy { $0 / 10 }.map(\.key) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(240, 3), stop])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test(
    "each group receives its elements and the stop event, in the order of the groups",
    arguments: [false, true])
  func elements(fails: Bool) {
    let source = source(fails ? .error(300, TestError.one) : .completed(300))
    let log = Log()
    let scheduler = scheduler
    _ = scheduler.start {
      source.groupBy { $0 / 10 }.do(onNext: { group in
        _ = group.subscribe { log.add("\(scheduler.clock) \(group.key) \($0)") }
      })
    }
    let stop = fails ? "error(one)" : "completed"
    #expect(
      log.lines == [
        "210 1 next(11)", "220 2 next(21)", "230 1 next(12)", "240 3 next(31)", "250 2 next(22)",
        "300 1 \(stop)", "300 2 \(stop)", "300 3 \(stop)",
      ])
  }

  @Test("the groups end before the sequence", arguments: [false, true])
  func endOfTheSequence(fails: Bool) {
    let (subject, log) = (PublishSubject<Int>(), Log())
    _ = subject.groupBy { $0 }.subscribe { event in
      guard let group = event.element else { return log.add("sequence") }
      _ = group.subscribe { if $0.isStopEvent { log.add("group \(group.key)") } }
    }
    for element in 1...2 { subject.onNext(element) }
    if fails { subject.onError(TestError.one) } else { subject.onCompleted() }
    #expect(log.lines == ["group 1", "group 2", "sequence"])
  }

  @Test("an error that the key selector throws ends the sequence and all groups")
  func throwing() {
    let source = source()
    let inner = scheduler.createObserver(Int.self)
    let observer = scheduler.start {
      source.groupBy { element in if element == 31 { throw TestError.one } else { element / 10 } }
        .do(onNext: { if $0.key == 1 { _ = $0.subscribe(inner) } }).map(\.key)
    }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .error(240, TestError.one)])
    #expect(inner.events == [.next(210, 11), .next(230, 12), .error(240, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("an observed group keeps the source after the sequence is disposed")
  func retained() {
    let source = source()
    let inner = scheduler.createObserver(Int.self)
    var group: (any Disposable)?
    scheduler.scheduleAt(235) { group?.dispose() }
    let observer = scheduler.start(disposed: 215) {
      source.groupBy { $0 / 10 }.do(onNext: { group = $0.subscribe(inner) }).map(\.key)
    }
    #expect(observer.events == [.next(210, 1)])
    #expect(inner.events == [.next(210, 11), .next(230, 12)])
    #expect(source.subscriptions == [Subscription(200, 235)])
  }

  @Test("after disposal no further group is sent, although an earlier one is still observed")
  func noneAfterDisposal() {
    let source = source()
    let inner = scheduler.createObserver(Int.self)
    var keys: [Int] = []
    let groups = source.groupBy { $0 / 10 }.map { group -> Int in
      keys.append(group.key)
      _ = group.subscribe(inner)
      return group.key
    }
    let observer = scheduler.start(disposed: 215) { groups }
    #expect(observer.events == [.next(210, 1)])
    #expect(keys == [1])
    #expect(inner.events == [.next(210, 11), .next(230, 12), .completed(300)])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test("a later observer of a group receives later elements, or the stop event")
  func late() {
    let source = source()
    let (during, after) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    var groups: [GroupedObservable<Int, Int>] = []
    scheduler.scheduleAt(225) { _ = groups[0].subscribe(during) }
    scheduler.scheduleAt(310) { _ = groups[0].asObservable().subscribe(after) }
    _ = scheduler.start { source.groupBy { $0 / 10 }.do(onNext: { groups.append($0) }).map(\.key) }
    #expect(during.events == [.next(230, 12), .completed(300)])
    #expect(after.events == [.completed(310)])
  }

  @Test("a group can be created directly")
  func byHand() {
    let recorder = RecordingObserver<Int>()
    let group = GroupedObservable(key: "a", source: Observable.just(1))
    _ = group.subscribe(recorder)
    #expect(group.key == "a")
    #expect(recorder.events == [.next(1), .completed])
  }
}
