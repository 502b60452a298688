import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// A source may keep the observer that it was handed, as with a callback that cannot be withdrawn.
@Suite("Sources that keep their observer", .timeLimit(.minutes(5)))
struct KeptObserverTests {
  private typealias OperatorCase = TimerReleaseTests.OperatorCase

  private final class KeepingSource: ObservableType, @unchecked Sendable {
    // Sendable: the observer is set before another thread uses the source.
    typealias Element = TrackedObject

    private(set) var send: (Event<TrackedObject>) -> Void = { _ in }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == TrackedObject {
      send = observer.on
      return Disposables.create()
    }

    var created: Observable<TrackedObject> { .create { self.subscribe($0) } }
  }

  private static let all = [
    OperatorCase("delay") { $0.delay(.seconds(9), scheduler: $1) },
    OperatorCase("debounce") { $0.debounce(.seconds(9), scheduler: $1) },
    OperatorCase("throttle") { $0.throttle(.seconds(9), scheduler: $1) },
    OperatorCase("buffer") { $0.buffer(timeSpan: .seconds(9), count: 9, scheduler: $1).compactMap(\.last) },
    OperatorCase("observe(on:)") { $0.observe(on: $1) },
    OperatorCase("sample") { source, _ in source.sample(Observable<Int>.never()) },
    OperatorCase("combineLatest") { source, _ in
      Observable.combineLatest(source, Observable<TrackedObject>.never()) { first, _ in first }
    },
    OperatorCase("zip") { source, _ in
      Observable.zip(source, Observable<TrackedObject>.never()) { first, _ in first }
    },
    OperatorCase("withLatestFrom") { source, _ in Observable<Int>.never().withLatestFrom(source) },
    OperatorCase("concatMap") { source, _ in
      source.concatMap { element in Observable<TrackedObject>.never().startWith(element) }
    },
    OperatorCase("concat()") { source, _ in
      source.map { element in Observable<TrackedObject>.never().startWith(element) }.concat()
    },
    OperatorCase("merge(maxConcurrent:)") { source, _ in
      source.map { element in Observable<TrackedObject>.never().startWith(element) }.merge(maxConcurrent: 1)
    },
    OperatorCase("flatMap(maxConcurrent:)") { source, _ in
      source.flatMap(maxConcurrent: 1) { element in Observable<TrackedObject>.never().startWith(element) }
    },
    OperatorCase("takeLast") { source, _ in source.takeLast(2) },
    OperatorCase("toArray") { source, _ in source.toArray().asObservable().compactMap(\.last) },
    OperatorCase("reduce") { source, _ in
      source.reduce([TrackedObject]()) { $0 + [$1] }.compactMap(\.last)
    },
    OperatorCase("scan") { source, _ in source.scan([TrackedObject]()) { $0 + [$1] }.compactMap(\.last) },
    OperatorCase("distinctUntilChanged") { source, _ in source.distinctUntilChanged { $0 === $1 } },
    OperatorCase("pairwise") { source, _ in source.pairwise().map { $0.1 } },
    OperatorCase("asSingle") { source, _ in source.skip(1).asSingle().asObservable() },
    OperatorCase("share(replay:)") { source, _ in source.share(replay: 1) },
    OperatorCase("replay and refCount") { source, _ in source.replay(2).refCount() },
  ]

  @Test("keep neither elements nor the subscriber alive after the end", arguments: all, [false, true])
  private func released(row: OperatorCase, fails: Bool) {
    for isCreated in [false, true] {
      let liveCount = TrackedObject.LiveCount()
      let (scheduler, source) = (TestScheduler(initialClock: 0), KeepingSource())
      let subscription: any Disposable
      do {
        let held = TrackedObject(in: liveCount)
        subscription = row.apply(isCreated ? source.created : source.asObservable(), scheduler).subscribe(
          onNext: { _ in _ = held.value }, onError: { _ in _ = held.value })
      }
      for _ in 0..<2 { source.send(.next(TrackedObject(in: liveCount))) }
      #expect(liveCount.value > 1)
      // An error ends every operator except observe(on:), which queues it.
      if fails { source.send(.error(TestError.one)) }
      subscription.dispose()
      #expect(liveCount.value == 0)
      withExtendedLifetime((scheduler, source)) {}
    }
  }

  @Test("a disposal from inside a delivery releases everything after it")
  func disposedInside() {
    let (liveCount, source) = (TrackedObject.LiveCount(), KeepingSource())
    do {
      let held = TrackedObject(in: liveCount)
      _ = source.created.map { $0.value + held.value }.take(1).subscribe()
    }
    #expect(liveCount.value == 1)
    source.send(.next(TrackedObject(in: liveCount)))
    #expect(liveCount.value == 0)
    withExtendedLifetime(source) {}
  }

  @Test("a disposal while another thread delivers releases everything, at any moment")
  func disposedAnywhere() {
    for _ in 0..<300 {
      let (liveCount, source) = (TrackedObject.LiveCount(), KeepingSource())
      let subscription: any Disposable
      do {
        let held = TrackedObject(in: liveCount)
        subscription = source.created.map { $0.value + held.value }.subscribe()
      }
      onThreads(2) { thread in
        if thread == 0 { return subscription.dispose() }
        for _ in 0..<20 { source.send(.next(TrackedObject(in: liveCount))) }
      }
      #expect(liveCount.value == 0)
      withExtendedLifetime(source) {}
    }
  }

  @Test("singles keep nothing after the disposal or the report", arguments: [false, true])
  func single(reports: Bool) {
    let liveCount = TrackedObject.LiveCount()
    var report: ((SingleEvent<Int>) -> Void)?
    let subscription: any Disposable
    do {
      let held = TrackedObject(in: liveCount)
      let single = Single<Int>.create { observer in
        report = observer
        return Disposables.create()
      }
      subscription = single.map { $0 + held.value }.subscribe()
    }
    #expect(liveCount.value == 1)
    if reports { report?(.success(1)) } else { subscription.dispose() }
    #expect(liveCount.value == 0)
    subscription.dispose()
    withExtendedLifetime(report) {}
  }
}
