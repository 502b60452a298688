import Foundation
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// The counts and other state of an operator belong to one subscription.
@Suite("A second subscription")
struct ResubscriptionTests {
  struct OperatorCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Int>) -> Observable<String>

    init<Result>(_ name: String, _ apply: @escaping @Sendable (Observable<Int>) -> Observable<Result>) {
      testDescription = name
      self.apply = { source in apply(source).map { "\($0)" } }
    }
  }

  private static let all = selecting + transforming + combining + timed

  private static let selecting = [
    OperatorCase("take") { $0.take(2) },
    OperatorCase("take(while:)") { $0.take(while: { $0 < 3 }) },
    OperatorCase("takeLast") { $0.takeLast(2) },
    OperatorCase("take(until:)") { source in source.take(until: source.filter { $0 == 3 }) },
    OperatorCase("skip") { $0.skip(2) },
    OperatorCase("skip(while:)") { $0.skip(while: { $0 < 2 }) },
    OperatorCase("skip(until:)") { $0.skip(until: $0) },
    OperatorCase("element(at:)") { $0.element(at: 2) },
    OperatorCase("first") { $0.first().asObservable() },
    OperatorCase("single") { $0.single { $0 == 3 } },
    OperatorCase("asSingle") { $0.take(1).asSingle().asObservable() },
    OperatorCase("distinctUntilChanged") { $0.skip(2).distinctUntilChanged() },
    OperatorCase("distinctUntilChanged of equal elements") { $0.map { _ in 7 }.distinctUntilChanged() },
    OperatorCase("ifEmpty(default:)") { $0.filter { _ in false }.ifEmpty(default: 9) },
    OperatorCase("ifEmpty(switchTo:)") { $0.filter { _ in false }.ifEmpty(switchTo: .just(9)) },
  ]

  private static let transforming = [
    OperatorCase("enumerated") { $0.enumerated().map { index, element in "\(index) \(element)" } },
    OperatorCase("scan") { $0.scan(0, accumulator: +) },
    OperatorCase("scan(into:)") { $0.scan(into: 0) { $0 += $1 } },
    OperatorCase("reduce") { $0.reduce(0, accumulator: +) },
    OperatorCase("toArray") { $0.toArray().asObservable() },
    OperatorCase("materialize and dematerialize") { $0.materialize().dematerialize() },
    OperatorCase("do") { $0.do(onNext: { _ in }) },
    OperatorCase("groupBy") { $0.groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key) \($0)" } } },
    OperatorCase("flatMap") { $0.flatMap { Observable.of($0, -$0) } },
    OperatorCase("flatMapFirst") { $0.flatMapFirst { Observable.of($0, -$0) } },
    OperatorCase("flatMapLatest") { $0.flatMapLatest { Observable.of($0, -$0) } },
    OperatorCase("concatMap") { $0.concatMap { Observable.of($0, -$0) } },
  ]

  private static let combining = [
    OperatorCase("concat") { .concat([$0, $0]) },
    OperatorCase("retry") { $0.concat(Observable<Int>.error(TestError.one)).retry(2).catchAndReturn(9) },
    OperatorCase("amb") { .amb([$0, $0.map { -$0 }]) },
    OperatorCase("merge") { .merge($0, $0) },
    OperatorCase("combineLatest") { Observable.combineLatest($0, $0) { $0 + $1 } },
    OperatorCase("combineLatest of a list") { Observable.combineLatest([$0, $0]) { $0.reduce(0, +) } },
    OperatorCase("zip") { Observable.zip($0, $0.skip(1)) { $0 + $1 } },
    OperatorCase("zip of a list") { Observable.zip([$0, $0.skip(1)]) { $0.reduce(0, +) } },
    OperatorCase("withLatestFrom") { $0.withLatestFrom($0.skip(1)) },
    OperatorCase("sample") { $0.sample($0) },
  ]

  // No timer fires, because the clock stands still.
  private static let timed = [
    OperatorCase("debounce") { $0.debounce(.seconds(9), scheduler: TestScheduler(initialClock: 0)) },
    OperatorCase("throttle") { $0.throttle(.seconds(9), scheduler: TestScheduler(initialClock: 0)) },
    OperatorCase("buffer") {
      $0.buffer(timeSpan: .seconds(9), count: 3, scheduler: TestScheduler(initialClock: 0))
    },
    OperatorCase("window") {
      $0.window(timeSpan: .seconds(9), count: 3, scheduler: TestScheduler(initialClock: 0))
        .flatMap { $0.toArray() }
    },
  ]

  @Test("gets the same events as the first", arguments: all)
  private func beginsAnew(row: OperatorCase) {
    let sequence = row.apply(.of(1, 1, 2, 3))
    let (first, second) = (RecordingObserver<String>(), RecordingObserver<String>())
    let bag = DisposeBag()
    sequence.subscribe(first).disposed(by: bag)
    sequence.subscribe(second).disposed(by: bag)
    #expect(!first.elements.isEmpty)
    #expect(second.events == first.events)
  }

  struct RunningCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let elements: (first: [String], second: [String])
    let apply: @Sendable (Observable<Int>, TestScheduler) -> Observable<String>

    init<Result>(
      _ name: String, _ first: [String], _ second: [String],
      _ apply: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Result>
    ) {
      testDescription = name
      elements = (first, second)
      self.apply = { source, scheduler in apply(source, scheduler).map { "\($0)" } }
    }
  }

  private static let running = [
    RunningCase("toArray", ["[1, 2]"], ["[2]"]) { source, _ in source.toArray().asObservable() },
    RunningCase("takeLast", ["1", "2"], ["2"]) { source, _ in source.takeLast(9) },
    RunningCase("ifEmpty(default:)", ["1"], ["9"]) { source, _ in
      source.filter { $0 == 1 }.ifEmpty(default: 9)
    },
    RunningCase("ifEmpty(switchTo:)", ["1"], ["9"]) { source, _ in
      source.filter { $0 == 1 }.ifEmpty(switchTo: .just(9))
    },
    RunningCase("withLatestFrom", ["1", "1"], []) { source, _ in
      source.withLatestFrom(source.filter { $0 == 1 })
    },
    RunningCase("skip(until:)", ["2"], []) { source, _ in source.skip(until: source.filter { $0 == 1 }) },
    RunningCase("skip(_:scheduler:)", ["1", "2"], []) { source, scheduler in
      source.skip(.seconds(9), scheduler: scheduler)
    },
    RunningCase("timeout", ["7"], ["2"]) { source, scheduler in
      source.timeout(.seconds(8), other: Observable.just(7), scheduler: scheduler)
    },
    RunningCase("subscribe(on:)", ["1"], ["2"]) { source, scheduler in
      source.take(1).subscribe(on: scheduler)
    },
  ]

  @Test("shares no state with the first one, which has received an element", arguments: running)
  private func ownState(row: RunningCase) {
    let (subject, scheduler) = (PublishSubject<Int>(), TestScheduler(initialClock: 0))
    let sequence = row.apply(subject.asObservable(), scheduler)
    let (first, second) = (RecordingObserver<String>(), RecordingObserver<String>())
    let bag = DisposeBag()
    sequence.subscribe(first).disposed(by: bag)
    scheduler.advanceTo(10)
    subject.onNext(1)
    sequence.subscribe(second).disposed(by: bag)
    scheduler.advanceTo(12)
    subject.onNext(2)
    subject.onCompleted()
    #expect(first.elements == row.elements.first)
    #expect(second.elements == row.elements.second)
  }
}
