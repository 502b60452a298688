import Dispatch
import RxLite
import RxLiteTesting

/// The operators in the diagrams of the articles about operators as code, under the same names.
struct DocumentedOperators {
  typealias Sequence = Observable<String>
  typealias Make = (_ source: Sequence, _ other: Sequence) -> Sequence

  let scheduler: TestScheduler

  var all: [String: Make] {
    [creating, transforming, filtering, combining, failing, timing, sharing, traits, extending]
      .reduce(into: [:]) { all, some in all.merge(some) { $1 } }
  }

  private var creating: [String: Make] {
    [
      "just(a)": { _, _ in .just("a") },
      "of(a, b, c)": { _, _ in .of("a", "b", "c") },
      "from([a, b, c])": { _, _ in .from(["a", "b", "c"]) },
      "from(optional: nil)": { _, _ in .from(optional: nil) },
      "empty()": { _, _ in .empty() },
      "never()": { _, _ in .never() },
      "error(e)": { _, _ in .error(MarbleFailure()) },
      "create { a, b, end }": { _, _ in
        .create { observer in
          observer.onNext("a")
          observer.onNext("b")
          observer.onCompleted()
          return Disposables.create()
        }
      },
      "deferred { source }": { source, _ in .deferred { source } },
      "range(start: 1, count: 3)": { _, _ in Observable.range(start: 1, count: 3).map(String.init) },
      "generate(1, while < 5, doubled)": { _, _ in
        Observable.generate(initialState: 1, condition: { $0 < 5 }, iterate: { $0 * 2 }).map(String.init)
      },
      "repeatElement(a).take(3)": { _, _ in Observable.repeatElement("a").take(3) },
      "using(resource) { source }": { source, _ in
        .using({ BooleanDisposable() }, observableFactory: { _ in source })
      },
      "timer(3)": { _, _ in
        Observable<Int>.timer(.seconds(3), scheduler: scheduler).map(String.init)
      },
      "timer(2, period: 3)": { _, _ in
        Observable<Int>.timer(.seconds(2), period: .seconds(3), scheduler: scheduler).map(String.init)
      },
      "interval(2)": { _, _ in
        Observable<Int>.interval(.seconds(2), scheduler: scheduler).map(String.init)
      },
    ]
  }

  private var transforming: [String: Make] {
    [
      "map { uppercased }": { source, _ in source.map { $0.uppercased() } },
      "compactMap { digit }": { source, _ in source.compactMap(Int.init).map(String.init) },
      "flatMap { inner }": { source, inner in source.flatMap { a in inner.map { a + $0 } } },
      "flatMap(maxConcurrent: 2) { inner }": { source, inner in
        source.flatMap(maxConcurrent: 2) { a in inner.map { a + $0 } }
      },
      "concatMap { inner }": { source, inner in source.concatMap { a in inner.map { a + $0 } } },
      "flatMapFirst { inner }": { source, inner in source.flatMapFirst { a in inner.map { a + $0 } } },
      "flatMapLatest { inner }": { source, inner in source.flatMapLatest { a in inner.map { a + $0 } } },
      "scan(\"\") { + }": { source, _ in source.scan("") { $0 + $1 } },
      "reduce(\"\") { + }": { source, _ in source.reduce("") { $0 + $1 } },
      "toArray()": { source, _ in source.toArray().asObservable().map(text) },
      "buffer(4, count: 2)": { source, _ in
        source.buffer(timeSpan: .seconds(4), count: 2, scheduler: scheduler).map(text)
      },
      "window(4, count: 2), each toArray()": { source, _ in
        source.window(timeSpan: .seconds(4), count: 2, scheduler: scheduler).flatMap { $0.toArray() }.map(
          text)
      },
      "groupBy { lowercased }, the keys": { source, _ in
        source.groupBy { $0.lowercased() }.map(\.key)
      },
      "materialize()": { source, _ in source.materialize().map { "\($0)" } },
      "materialize().dematerialize()": { source, _ in source.materialize().dematerialize() },
      "enumerated()": { source, _ in source.enumerated().map { "\($0.index)\($0.element)" } },
    ]
  }

  private var filtering: [String: Make] {
    [
      "filter { not b }": { source, _ in source.filter { $0 != "b" } },
      "ignoreElements()": { source, _ in source.ignoreElements().asCompletable().andThen(Sequence.empty()) },
      "element(at: 1)": { source, _ in source.element(at: 1) },
      "single()": { source, _ in source.single() },
      "first()": { source, _ in source.first().asObservable().map { $0 ?? "nil" } },
      "distinctUntilChanged()": { source, _ in source.distinctUntilChanged() },
      "take(2)": { source, _ in source.take(2) },
      "take(for: 4)": { source, _ in source.take(for: .seconds(4), scheduler: scheduler) },
      "take(until: other)": { source, other in source.take(until: other) },
      "take(until: { is b }, behavior: .inclusive)": { source, _ in
        source.take(until: { $0 == "b" }, behavior: .inclusive)
      },
      "take(while: { not b })": { source, _ in source.take(while: { $0 != "b" }) },
      "takeLast(2)": { source, _ in source.takeLast(2) },
      "skip(1)": { source, _ in source.skip(1) },
      "skip(2, scheduler)": { source, _ in source.skip(.seconds(2), scheduler: scheduler) },
      "skip(until: other)": { source, other in source.skip(until: other) },
      "skip(while: { not b })": { source, _ in source.skip(while: { $0 != "b" }) },
      "sample(other)": { source, other in source.sample(other) },
      "debounce(2)": { source, _ in source.debounce(.seconds(2), scheduler: scheduler) },
      "throttle(3)": { source, _ in source.throttle(.seconds(3), scheduler: scheduler) },
      "throttle(3, latest: false)": { source, _ in
        source.throttle(.seconds(3), latest: false, scheduler: scheduler)
      },
    ]
  }

  private var combining: [String: Make] {
    [
      "combineLatest(first, second)": { Observable.combineLatest($0, $1) { $0 + $1 } },
      "zip(first, second)": { Observable.zip($0, $1) { $0 + $1 } },
      "merge(first, second)": { Observable.merge($0, $1) },
      "merge(maxConcurrent: 1)": { Observable.of($0, $1).merge(maxConcurrent: 1) },
      "concat(second)": { first, second in first.concat(second) },
      "startWith(z)": { source, _ in source.startWith("z") },
      "amb(second)": { first, second in first.amb(second) },
      "withLatestFrom(second)": { first, second in first.withLatestFrom(second) { $0 + $1 } },
      "map { inner }.switchLatest()": { source, inner in
        source.map { a in inner.map { a + $0 } }.switchLatest()
      },
      "ifEmpty(default: z)": { source, _ in source.ifEmpty(default: "z") },
      "ifEmpty(switchTo: second)": { first, second in first.ifEmpty(switchTo: second) },
    ]
  }

  private var failing: [String: Make] {
    [
      "catch { second }": { first, second in first.catch { _ in second } },
      "catchAndReturn(z)": { source, _ in source.catchAndReturn("z") },
      "catch(sequence: [first, second])": { Observable.catch(sequence: [$0, $1]) },
      "retry(2)": { source, _ in source.retry(2) },
      "retry(when: errors.take(1).delay(2))": { source, _ in
        source.retry { (errors: Observable<any Error>) in
          errors.take(1).delay(.seconds(2), scheduler: scheduler)
        }
      },
      "timeout(3)": { source, _ in source.timeout(.seconds(3), scheduler: scheduler) },
      "timeout(3, other)": { source, other in
        source.timeout(.seconds(3), other: other, scheduler: scheduler)
      },
      "do(…)": { source, _ in source.do(onNext: { _ in }) },
    ]
  }

  private var timing: [String: Make] {
    [
      "delay(2)": { source, _ in source.delay(.seconds(2), scheduler: scheduler) },
      "delay(2), failing": { source, _ in source.delay(.seconds(2), scheduler: scheduler) },
      "delaySubscription(2)": { source, _ in source.delaySubscription(.seconds(2), scheduler: scheduler) },
      "observe(on: scheduler)": { source, _ in source.observe(on: scheduler) },
      "subscribe(on: scheduler)": { source, _ in source.subscribe(on: scheduler) },
    ]
  }

  private var sharing: [String: Make] {
    [
      "share(), seen by an observer from column 4 on": { source, _ in observedLate(source.share()) },
      "share(replay: 1), seen by an observer from column 4 on": { source, _ in
        observedLate(source.share(replay: 1))
      },
      "publish().refCount(), seen by an observer from column 4 on": { source, _ in
        observedLate(source.publish().refCount())
      },
      "replay(2).refCount(), seen by an observer from column 4 on": { source, _ in
        observedLate(source.replay(2).refCount())
      },
    ]
  }

  private var traits: [String: Make] {
    [
      "asSingle()": { source, _ in source.asSingle().asObservable() },
      "asMaybe()": { source, _ in source.asMaybe().asObservable() },
      "Single.flatMap { inner }": { source, inner in
        source.asSingle().flatMap { _ in inner.asSingle() }.asObservable()
      },
      "Single.zip(first, second)": { first, second in
        Single.zip(first.asSingle(), second.asSingle()) { $0 + $1 }.asObservable()
      },
      "Completable.andThen(second)": { first, second in
        first.ignoreElements().asCompletable().andThen(second)
      },
      "Maybe.ifEmpty(default: z)": { source, _ in source.asMaybe().ifEmpty(default: "z").asObservable() },
      "asInfallible(onErrorJustReturn: z)": { source, _ in
        source.asInfallible(onErrorJustReturn: "z").asObservable()
      },
    ]
  }

  /// The operators that RxSwiftExt adds to RxSwift.
  private var extending: [String: Make] {
    [
      "map { nil for n }.unwrap()": { source, _ in source.map { $0 == "n" ? nil : $0 }.unwrap() },
      "mapTo(z)": { source, _ in source.mapTo("z") },
      "pairwise()": { source, _ in source.pairwise().map { $0 + $1 } },
      "count()": { source, _ in source.count().map(String.init) },
      "materialize().elements()": { source, _ in source.materialize().elements() },
      "materialize().errors()": { source, _ in source.materialize().errors().mapTo("e") },
      "partition { is b }.nonMatches": { source, _ in source.partition { $0 == "b" }.nonMatches },
      "pausable(other is t)": { source, other in source.pausable(other.map { $0 == "t" }) },
      "catchErrorJustComplete()": { source, _ in source.catchErrorJustComplete() },
      "retry(.delayed(maxCount: 2, time: 2))": { source, _ in
        source.retry(.delayed(maxCount: 2, time: 2), scheduler: scheduler)
      },
    ]
  }

  private func observedLate(_ shared: Sequence) -> Sequence {
    .merge(shared.filter { _ in false }, shared.delaySubscription(.seconds(4), scheduler: scheduler))
  }

  private func text(_ elements: [String]) -> String { "[\(elements.joined())]" }
}
