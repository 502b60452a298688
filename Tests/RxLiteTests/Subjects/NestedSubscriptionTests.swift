import RxLite
@testable import RxLiteTestSupport
import Testing

/// A sequence that forwards its events straight to an observer does not use the current thread's scheduler.
@Suite("Subscriptions made inside an observer")
struct NestedSubscriptionTests {
  struct Source: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Returns the source, and adds the resources that it needs to a bag.
    let make: @Sendable (DisposeBag) -> Observable<Int>
  }

  private static let direct = [
    Source(testDescription: "just") { _ in .just(1) },
    Source(testDescription: "BehaviorSubject") { _ in BehaviorSubject(value: 1) },
    Source(testDescription: "ReplaySubject") { _ in
      let subject = ReplaySubject<Int>.create(bufferSize: 1)
      subject.onNext(1)
      return subject
    },
    Source(testDescription: "AsyncSubject") { _ in
      let subject = AsyncSubject<Int>()
      subject.onNext(1)
      subject.onCompleted()
      return subject
    },
    Source(testDescription: "BehaviorRelay") { _ in BehaviorRelay(value: 1).asObservable() },
    Source(testDescription: "share(replay:) that runs") { bag in
      let shared = Observable<Int>.never().startWith(1).share(replay: 1)
      shared.subscribe().disposed(by: bag)
      return shared
    },
    Source(testDescription: "replay(_:) that is connected") { bag in
      let replayed = Observable<Int>.never().startWith(1).replay(1)
      replayed.connect().disposed(by: bag)
      return replayed
    },
  ]

  private func lines(_ source: Source, _ change: (Observable<Int>) -> Observable<Int> = { $0 }) -> [String] {
    let (log, bag) = (Log(), DisposeBag())
    change(source.make(bag)).subscribe(onNext: { _ in
      _ = Observable.of(10, 20).subscribe(onNext: { log.add("\($0)") })
      log.add("after")
    }).disposed(by: bag)
    return log.lines
  }

  @Test("a subscription to a sequence without operators is complete when it returns", arguments: direct)
  func immediately(source: Source) {
    #expect(lines(source) == ["10", "20", "after"])
  }

  private static let ended = [
    Source(testDescription: "empty") { _ in .empty() },
    Source(testDescription: "error") { _ in .error(TestError.one) },
    Source(testDescription: "PublishSubject") { _ in
      let subject = PublishSubject<Int>()
      subject.onCompleted()
      return subject
    },
  ]

  @Test(
    "a subscription is complete when it returns also inside the stop event of such a sequence",
    arguments: ended)
  func atTheEnd(source: Source) {
    let (log, bag) = (Log(), DisposeBag())
    source.make(bag).subscribe { event in
      guard event.isStopEvent else { return }
      _ = Observable.of(10, 20).subscribe(onNext: { log.add("\($0)") })
      log.add("after")
    }.disposed(by: bag)
    #expect(log.lines == ["10", "20", "after"])
  }

  @Test("a subscription to a sequence with an operator waits for the outer subscription", arguments: direct)
  func queued(source: Source) {
    #expect(lines(source) { $0.map { $0 } } == ["after", "10", "20"])
  }

  @Test("a subscription inside flatMap or a similar operator with a direct inner sequence is complete, too")
  func inner() {
    let subject = PublishSubject<Int>()
    let inner = BehaviorSubject(value: 1)
    let (log, bag) = (Log(), DisposeBag())
    let sequences: [Observable<Int>] = [
      subject.flatMap { _ in inner }, subject.flatMapLatest { _ in inner }, subject.concatMap { _ in inner },
      subject.flatMapFirst { _ in inner }, subject.flatMap { Observable.just($0) },
    ]
    for sequence in sequences {
      sequence.subscribe(onNext: { _ in
        _ = Observable.of(10, 20).subscribe(onNext: { log.add("\($0)") })
        log.add("after")
      }).disposed(by: bag)
    }
    subject.onNext(1)
    #expect(log.lines == Array(repeatElement(["10", "20", "after"], count: 5).joined()))
  }
}
