import Dispatch
import RxLite
import RxLiteTesting
import Testing

/// Limits and retries of requests depend on what a subscription carries to its sources.
@Suite("The context of a subscription")
struct SubscriptionContextTests {
  private struct Marker: Sendable {}

  struct OperatorCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>

    init(
      _ name: String, _ apply: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>
    ) {
      testDescription = name
      self.apply = apply
    }
  }

  private static let all = simple + combining + others + timed

  private static let simple = [
    OperatorCase("groupBy") { source, _ in source.groupBy { $0 }.flatMap { $0 } },
    OperatorCase("ifEmpty(default:)") { source, _ in source.ifEmpty(default: 1) },
    OperatorCase("ifEmpty(switchTo:)") { source, _ in source.ifEmpty(switchTo: .never()) },
    OperatorCase("map") { source, _ in source.map { $0 + 1 } },
    OperatorCase("materialize") { source, _ in source.materialize().compactMap(\.element) },
    OperatorCase("multicast with a selector") { source, _ in
      source.multicast {
        PublishSubject<Int>()
      } selector: {
        $0
      }
    },
    OperatorCase("pairwise") { source, _ in source.pairwise().map { $1 } },
    OperatorCase("reduce") { source, _ in source.reduce(0, accumulator: +) },
    OperatorCase("retry") { source, _ in source.retry(2) },
    OperatorCase("retry(when:)") { source, _ in
      source.retry { (errors: Observable<any Error>) in errors }
    },
    OperatorCase("scan") { source, _ in source.scan(0, accumulator: +) },
    OperatorCase("single") { source, _ in source.single() },
    OperatorCase("skip") { source, _ in source.skip(1) },
    OperatorCase("skip(while:)") { source, _ in source.skip(while: { $0 < 2 }) },
    OperatorCase("startWith") { source, _ in source.startWith(0) },
    OperatorCase("take") { source, _ in source.take(2) },
    OperatorCase("take(while:)") { source, _ in source.take(while: { $0 < 2 }) },
    OperatorCase("takeLast") { source, _ in source.takeLast(2) },
    OperatorCase("toArray") { source, _ in source.toArray().asObservable().map(\.count) },
    OperatorCase("using") { source, _ in
      .using {
        BooleanDisposable()
      } observableFactory: { _ in
        source
      }
    },
    OperatorCase("withUnretained") { source, scheduler in source.withUnretained(scheduler) { $1 } },
  ]

  private static let combining = [
    OperatorCase("merge") { source, _ in .merge(source, .never()) },
    OperatorCase("merge(maxConcurrent:)") { source, _ in Observable.of(source).merge(maxConcurrent: 1) },
    OperatorCase("sample") { source, _ in source.sample(Observable<Int>.never()) },
    OperatorCase("skip(until:)") { source, _ in source.skip(until: Observable<Int>.never()) },
    OperatorCase("switchLatest") { source, _ in Observable.of(source).switchLatest() },
    OperatorCase("take(until:)") { source, _ in source.take(until: Observable<Int>.never()) },
    OperatorCase("withLatestFrom") { source, _ in source.withLatestFrom(Observable<Int>.never()) },
    OperatorCase("zip") { source, _ in Observable.zip(source, Observable<Int>.never()) { $0 + $1 } },
    OperatorCase("zip of a list") { source, _ in
      Observable.zip([source, Observable<Int>.never()]) { $0[0] + $0[1] }
    },
  ]

  private static let others = [
    OperatorCase("ifEmpty(switchTo:), the other") { other, _ in
      Observable<Int>.empty().ifEmpty(switchTo: other)
    },
    OperatorCase("retry(when:), the notifier") { notifier, _ in
      Observable<Int>.never().retry { (_: Observable<any Error>) in notifier }
    },
    OperatorCase("sample, the sampler") { sampler, _ in Observable<Int>.never().sample(sampler) },
    OperatorCase("skip(until:), the other") { other, _ in Observable<Int>.never().skip(until: other) },
    OperatorCase("take(until:), the other") { other, _ in Observable<Int>.never().take(until: other) },
    OperatorCase("timeout, the other") { other, scheduler in
      Observable<Int>.never().timeout(.seconds(9), other: other, scheduler: scheduler)
    },
    OperatorCase("withLatestFrom, the other") { other, _ in Observable<Int>.never().withLatestFrom(other) },
  ]

  private static let timed = [
    OperatorCase("observe(on:)") { source, scheduler in source.observe(on: scheduler) },
    OperatorCase("skip(_:scheduler:)") { source, scheduler in
      source.skip(.seconds(9), scheduler: scheduler)
    },
    OperatorCase("subscribe(on:)") { source, scheduler in source.subscribe(on: scheduler) },
    OperatorCase("take(for:)") { source, scheduler in source.take(for: .seconds(9), scheduler: scheduler) },
    OperatorCase("throttle") { source, scheduler in source.throttle(.seconds(9), scheduler: scheduler) },
    OperatorCase("timeout") { source, scheduler in source.timeout(.seconds(9), scheduler: scheduler) },
    OperatorCase("window") { source, scheduler in
      source.window(timeSpan: .seconds(9), count: 9, scheduler: scheduler).flatMap { $0 }
    },
  ]

  @Test("arrives at each source of an operator", arguments: all)
  private func arrives(row: OperatorCase) {
    let scheduler = TestScheduler(initialClock: 0)
    var markers: [Int] = []
    let source = Observable<Int>.create { observer in
      markers.append(observer.context?.values(of: Marker.self).count ?? 0)
      return Disposables.create()
    }
    let subscription = row.apply(source, scheduler)
      .withContext { SubscriptionContext(Marker(), within: $0) }.subscribe { _ in }
    scheduler.advanceTo(20)
    #expect(markers == [1])
    subscription.dispose()
  }

  @Test("arrives at the source of a sequence without elements, also before andThen")
  func withoutElements() {
    var markers: [Int] = []
    let source = Observable<Int>.create { observer in
      markers.append(observer.context?.values(of: Marker.self).count ?? 0)
      return Disposables.create()
    }
    let subscription = source.ignoreElements().asCompletable().andThen(Observable<Int>.never())
      .withContext { SubscriptionContext(Marker(), within: $0) }.subscribe { _ in }
    #expect(markers == [1])
    subscription.dispose()
  }

  @Test("passes through a sequence of the user's own type")
  func customType() {
    struct CustomSequence: ObservableType {
      typealias Element = Int
      let base: Observable<Int>

      func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
      where Observer.Element == Int {
        base.subscribe(observer)
      }
    }
    var markers: [Int] = []
    let source = Observable<Int>.create { observer in
      markers.append(observer.context?.values(of: Marker.self).count ?? 0)
      return Disposables.create()
    }
    let subscription = CustomSequence(base: source).map { $0 + 1 }
      .withContext { SubscriptionContext(Marker(), within: $0) }.subscribe { _ in }
    #expect(markers == [1])
    subscription.dispose()
  }
}
