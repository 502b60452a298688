import Foundation
import RxLite
import RxLiteTesting
import Testing

/// The counts and other state of an operator belong to one subscription.
@Suite("a second subscription")
struct FreshStartTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Int>) -> Observable<String>

    init<Result>(_ name: String, _ apply: @escaping @Sendable (Observable<Int>) -> Observable<Result>) {
      testDescription = name
      self.apply = { source in apply(source).map { "\($0)" } }
    }
  }

  private static let all = selecting + transforming + combining + timed

  private static let selecting = [
    Row("take") { $0.take(2) },
    Row("take(while:)") { $0.take(while: { $0 < 3 }) },
    Row("takeLast") { $0.takeLast(2) },
    Row("take(until:)") { source in source.take(until: source.filter { $0 == 3 }) },
    Row("skip") { $0.skip(2) },
    Row("skip(while:)") { $0.skip(while: { $0 < 2 }) },
    Row("skip(until:)") { $0.skip(until: $0) },
    Row("element(at:)") { $0.element(at: 2) },
    Row("first") { $0.first().asObservable() },
    Row("single") { $0.single { $0 == 3 } },
    Row("asSingle") { $0.take(1).asSingle().asObservable() },
    Row("distinctUntilChanged") { $0.skip(2).distinctUntilChanged() },
    Row("distinctUntilChanged of equal elements") { $0.map { _ in 7 }.distinctUntilChanged() },
    Row("ifEmpty(default:)") { $0.filter { _ in false }.ifEmpty(default: 9) },
    Row("ifEmpty(switchTo:)") { $0.filter { _ in false }.ifEmpty(switchTo: .just(9)) },
  ]

  private static let transforming = [
    Row("enumerated") { $0.enumerated().map { index, element in "\(index) \(element)" } },
    Row("scan") { $0.scan(0, accumulator: +) },
    Row("scan(into:)") { $0.scan(into: 0) { $0 += $1 } },
    Row("reduce") { $0.reduce(0, accumulator: +) },
    Row("toArray") { $0.toArray().asObservable() },
    Row("materialize and dematerialize") { $0.materialize().dematerialize() },
    Row("do") { $0.do(onNext: { _ in }) },
    Row("groupBy") { $0.groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key) \($0)" } } },
    Row("flatMap") { $0.flatMap { Observable.of($0, -$0) } },
    Row("flatMapFirst") { $0.flatMapFirst { Observable.of($0, -$0) } },
    Row("flatMapLatest") { $0.flatMapLatest { Observable.of($0, -$0) } },
    Row("concatMap") { $0.concatMap { Observable.of($0, -$0) } },
  ]

  private static let combining = [
    Row("concat") { .concat([$0, $0]) },
    Row("retry") { $0.concat(Observable<Int>.error(TestError.one)).retry(2).catchAndReturn(9) },
    Row("amb") { .amb([$0, $0.map { -$0 }]) },
    Row("merge") { .merge($0, $0) },
    Row("combineLatest") { Observable.combineLatest($0, $0) { $0 + $1 } },
    Row("combineLatest of a list") { Observable.combineLatest([$0, $0]) { $0.reduce(0, +) } },
    Row("zip") { Observable.zip($0, $0.skip(1)) { $0 + $1 } },
    Row("zip of a list") { Observable.zip([$0, $0.skip(1)]) { $0.reduce(0, +) } },
    Row("withLatestFrom") { $0.withLatestFrom($0.skip(1)) },
    Row("sample") { $0.sample($0) },
  ]

  // No timer fires, because the clock stands still.
  private static let timed = [
    Row("debounce") { $0.debounce(.seconds(9), scheduler: TestScheduler(initialClock: 0)) },
    Row("throttle") { $0.throttle(.seconds(9), scheduler: TestScheduler(initialClock: 0)) },
    Row("buffer") {
      $0.buffer(timeSpan: .seconds(9), count: 3, scheduler: TestScheduler(initialClock: 0))
    },
    Row("window") {
      $0.window(timeSpan: .seconds(9), count: 3, scheduler: TestScheduler(initialClock: 0))
        .flatMap { $0.toArray() }
    },
  ]

  @Test("gets the same events as the first", arguments: all)
  private func beginsAnew(row: Row) {
    let sequence = row.apply(.of(1, 1, 2, 3))
    let (first, second) = (Probe<String>(), Probe<String>())
    let bag = DisposeBag()
    sequence.subscribe(first).disposed(by: bag)
    sequence.subscribe(second).disposed(by: bag)
    #expect(!first.elements.isEmpty)
    #expect(second.events == first.events)
  }
}
