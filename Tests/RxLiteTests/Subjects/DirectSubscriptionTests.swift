import RxLite
import Testing

/// What hands its events straight to an observer leaves the current thread's scheduler alone.
@Suite("a subscription made inside an observer")
struct DirectSubscriptionTests {
  struct Source: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () -> Observable<Int>
  }

  private static let direct = [
    Source(testDescription: "just") { .just(1) },
    Source(testDescription: "BehaviorSubject") { BehaviorSubject(value: 1) },
    Source(testDescription: "ReplaySubject") {
      let subject = ReplaySubject<Int>.create(bufferSize: 1)
      subject.onNext(1)
      return subject
    },
    Source(testDescription: "AsyncSubject") {
      let subject = AsyncSubject<Int>()
      subject.onNext(1)
      subject.onCompleted()
      return subject
    },
    Source(testDescription: "BehaviorRelay") { BehaviorRelay(value: 1).asObservable() },
    Source(testDescription: "share(replay:) that runs") {
      let shared = Observable<Int>.never().startWith(1).share(replay: 1)
      _ = shared.subscribe()
      return shared
    },
    Source(testDescription: "replay(_:) that is connected") {
      let replayed = Observable<Int>.never().startWith(1).replay(1)
      _ = replayed.connect()
      return replayed
    },
  ]

  private func lines(_ source: Observable<Int>) -> [String] {
    let log = Log()
    _ = source.subscribe(onNext: { _ in
      _ = Observable.of(10, 20).subscribe(onNext: { log.add("\($0)") })
      log.add("after")
    })
    return log.lines
  }

  @Test("of a sequence without operators is done when it returns", arguments: direct)
  func immediately(source: Source) {
    #expect(lines(source.make()) == ["10", "20", "after"])
  }

  @Test("of a sequence with an operator waits until that is subscribed", arguments: direct)
  func queued(source: Source) {
    #expect(lines(source.make().map { $0 }) == ["after", "10", "20"])
  }

  @Test("of a direct sequence inside flatMap and the like is done, too")
  func inner() {
    let subject = PublishSubject<Int>()
    let inner = BehaviorSubject(value: 1)
    let log = Log()
    let sequences: [Observable<Int>] = [
      subject.flatMap { _ in inner }, subject.flatMapLatest { _ in inner }, subject.concatMap { _ in inner },
      subject.flatMapFirst { _ in inner }, subject.flatMap { Observable.just($0) },
    ]
    for sequence in sequences {
      _ = sequence.subscribe(onNext: { _ in
        _ = Observable.of(10, 20).subscribe(onNext: { log.add("\($0)") })
        log.add("after")
      })
    }
    subject.onNext(1)
    #expect(log.lines == Array(repeatElement(["10", "20", "after"], count: 5).joined()))
  }
}
