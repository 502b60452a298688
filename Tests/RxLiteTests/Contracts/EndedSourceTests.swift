import Dispatch
import RxLite
import RxLiteTesting
import Testing

/// `using` disposes its resource when its subscription is disposed, not when the sequence ends, so it shows
/// when an operator disposes a source.
@Suite("Sources that have ended while the sequence continues")
struct EndedSourceTests {
  struct Row: Sendable, CustomTestStringConvertible {
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
    Row("flatMap") { $0.flatMap { _ in Observable<Int>.never() } },
    Row("flatMap, an inner sequence") { source in outer.flatMap { _ in source } },
    Row("flatMapFirst") { $0.flatMapFirst { _ in Observable<Int>.never() } },
    Row("flatMapFirst, an inner sequence") { source in outer.flatMapFirst { _ in source } },
    Row("flatMapLatest") { $0.flatMapLatest { _ in Observable<Int>.never() } },
    Row("flatMapLatest, an inner sequence") { source in outer.flatMapLatest { _ in source } },
    Row("concatMap") { $0.concatMap { _ in Observable<Int>.never() } },
    Row("concatMap, an inner sequence") { source in outer.concatMap { _ in source } },
    Row("merge") { .merge($0, .never()) },
    Row("concat") { $0.concat(Observable<Int>.never()) },
    Row("combineLatest") { .combineLatest($0, outer) { $0 + $1 } },
    Row("combineLatest of a collection") { .combineLatest([$0, outer]) { $0[0] + $0[1] } },
    Row("zip") { .zip($0, Observable<Int>.never()) { $0 + $1 } },
    Row("withLatestFrom, the other") { outer.withLatestFrom($0) },
    Row("take(until:), the other", sends: 0) { outer.take(until: $0) },
    Row("skip(until:), the other", sends: 0) { outer.skip(until: $0) },
    Row("sample") { $0.sample(Observable<Int>.never()) },
    Row("sample, the sampler") { outer.sample($0) },
    Row("throttle", sends: 2) { $0.throttle(.seconds(9), scheduler: scheduler) },
    Row("delay") { $0.delay(.seconds(9), scheduler: scheduler) },
    Row("observe(on:)") { $0.observe(on: scheduler) },
    Row("groupBy") { $0.groupBy { $0 }.flatMap { _ in Observable<Int>.never() } },
  ]

  @Test("are disposed at once", arguments: all)
  private func disposed(row: Row) {
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
