import Dispatch
import RxLite
import RxLiteTesting
import Testing

/// `using` disposes its resource when its subscription is disposed, not when the sequence ends, so it shows
/// when an operator disposes a source.
@Suite("Sources that have ended while the sequence continues")
struct EndedSourceDisposalTests {
  struct OperatorCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let count: Int
    let apply: @Sendable (Observable<Int>) -> Observable<Int>

    init(
      _ name: String, sends count: Int = 1, _ apply: @escaping @Sendable (Observable<Int>) -> Observable<Int>
    ) {
      testDescription = name
      self.count = count
      self.apply = apply
    }
  }

  private static let scheduler = TestScheduler(initialClock: 0)
  private static var outer: Observable<Int> { Observable<Int>.never().startWith(0) }

  private static let all = [
    OperatorCase("flatMap") { $0.flatMap { _ in Observable<Int>.never() } },
    OperatorCase("flatMap, an inner sequence") { source in outer.flatMap { _ in source } },
    OperatorCase("flatMapFirst") { $0.flatMapFirst { _ in Observable<Int>.never() } },
    OperatorCase("flatMapFirst, an inner sequence") { source in outer.flatMapFirst { _ in source } },
    OperatorCase("flatMapLatest") { $0.flatMapLatest { _ in Observable<Int>.never() } },
    OperatorCase("flatMapLatest, an inner sequence") { source in outer.flatMapLatest { _ in source } },
    OperatorCase("concatMap") { $0.concatMap { _ in Observable<Int>.never() } },
    OperatorCase("concatMap, an inner sequence") { source in outer.concatMap { _ in source } },
    OperatorCase("merge") { .merge($0, .never()) },
    OperatorCase("concat") { $0.concat(Observable<Int>.never()) },
    OperatorCase("combineLatest") { .combineLatest($0, outer) { $0 + $1 } },
    OperatorCase("combineLatest of a collection") { .combineLatest([$0, outer]) { $0[0] + $0[1] } },
    OperatorCase("zip") { .zip($0, Observable<Int>.never()) { $0 + $1 } },
    OperatorCase("withLatestFrom, the other") { outer.withLatestFrom($0) },
    OperatorCase("take(until:), the other", sends: 0) { outer.take(until: $0) },
    OperatorCase("skip(until:), the other", sends: 0) { outer.skip(until: $0) },
    OperatorCase("sample") { $0.sample(Observable<Int>.never()) },
    OperatorCase("sample, the sampler") { outer.sample($0) },
    OperatorCase("throttle", sends: 2) { $0.throttle(.seconds(9), scheduler: scheduler) },
    OperatorCase("delay") { $0.delay(.seconds(9), scheduler: scheduler) },
    OperatorCase("observe(on:)") { $0.observe(on: scheduler) },
    OperatorCase("groupBy") { $0.groupBy { $0 }.flatMap { _ in Observable<Int>.never() } },
  ]

  @Test("are disposed at once", arguments: all)
  private func disposed(row: OperatorCase) {
    let subject = PublishSubject<Int>()
    let resource = BooleanDisposable()
    let source = Observable<Int>.using({ resource }, observableFactory: { _ in subject })
    let subscription = row.apply(source).subscribe()
    for element in 0..<row.count { subject.onNext(element) }
    #expect(!resource.isDisposed)
    subject.onCompleted()
    #expect(resource.isDisposed)
    subscription.dispose()
  }
}
