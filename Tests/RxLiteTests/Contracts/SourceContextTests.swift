import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// Retries and rules see the requests upstream only through the context that a subscription carries.
@Suite("The context of a subscription to the source of an operator")
struct SourceContextTests {
  private struct Mark: Sendable {}

  struct OperatorCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>

    init(_ name: String, _ apply: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>) {
      testDescription = name
      self.apply = apply
    }
  }

  private static let all = [
    OperatorCase("amb") { source, _ in source.amb(Observable<Int>.never()) },
    OperatorCase("amb as the second") { source, _ in Observable<Int>.never().amb(source) },
    OperatorCase("asSingle") { source, _ in source.asSingle().asObservable() },
    OperatorCase("buffer") { $0.buffer(timeSpan: .seconds(9), count: 9, scheduler: $1).map(\.count) },
    OperatorCase("catch") { source, _ in source.catch { throw $0 } },
    OperatorCase("compactMap") { source, _ in source.compactMap { $0 } },
    OperatorCase("concat") { source, _ in source.concat(Observable<Int>.empty()) },
    OperatorCase("concat after another") { source, _ in Observable<Int>.empty().concat(source) },
    OperatorCase("debounce") { $0.debounce(.seconds(9), scheduler: $1) },
    OperatorCase("delay") { $0.delay(.seconds(9), scheduler: $1) },
    OperatorCase("delaySubscription") { $0.delaySubscription(.seconds(9), scheduler: $1) },
    OperatorCase("dematerialize") { source, _ in source.map { Event<Int>.next($0) }.dematerialize() },
    OperatorCase("distinctUntilChanged") { source, _ in source.distinctUntilChanged() },
    OperatorCase("do") { source, _ in source.do(onNext: { _ in }) },
    OperatorCase("element(at:)") { source, _ in source.element(at: 0) },
    OperatorCase("enumerated") { source, _ in source.enumerated().map(\.element) },
    OperatorCase("filter") { source, _ in source.filter { $0 > 0 } },
    OperatorCase("first") { source, _ in source.first().asObservable().compactMap { $0 } },
    OperatorCase("flatMap") { source, _ in source.flatMap { Observable.just($0) } },
    OperatorCase("flatMap, an inner sequence") { source, _ in Observable.just(0).flatMap { _ in source } },
    OperatorCase("flatMapLatest") { source, _ in source.flatMapLatest { Observable.just($0) } },
    OperatorCase("flatMapLatest, an inner sequence") { source, _ in
      Observable.just(0).flatMapLatest { _ in source }
    },
  ]

  @Test("reaches the source of an operator", arguments: all)
  private func reachesSource(row: OperatorCase) {
    let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
    let source = Observable<Int>.never().withContext { context in
      log.add("\(context?.values(of: Mark.self).count ?? 0)")
      return context ?? SubscriptionContext(Mark(), within: nil)
    }
    let subscription = row.apply(source, scheduler)
      .withContext { SubscriptionContext(Mark(), within: $0) }
      .subscribe()
    // The time at which `delaySubscription` subscribes has passed.
    scheduler.advanceTo(10)
    #expect(log.lines == ["1"])
    subscription.dispose()
  }
}
