import RxLite
import Testing

/// An operator that ends a sequence does so once, even if the source cannot be disposed yet and continues.
@Suite("Operators that end by themselves")
struct OwnEndTests {
  private func attempts(_ apply: @escaping (Observable<Int>) -> Observable<Int>) -> (
    attempts: Int, probe: Probe<Int>
  ) {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return Observable<Int>.never().startWith(1, 2, 3, 4)
    }
    let probe = Probe<Int>()
    _ = apply(source).retry(3).subscribe(probe)
    return (attempts, probe)
  }

  @Test("reduce")
  func reduce() {
    let (attempts, probe) = attempts { $0.reduce(0) { _, _ in throw TestError.one } }
    #expect(attempts == 3)
    #expect(probe.events == [.error(TestError.one)])
  }

  @Test("single")
  func single() {
    let (attempts, probe) = attempts { $0.single() }
    #expect(attempts == 3)
    #expect(probe.events == [.next(1), .next(1), .next(1), .error(RxError.moreThanOneElement)])
  }

  @Test("single does not call its predicate after its error")
  func singlePredicate() {
    var asked: [Int] = []
    let probe = Probe<Int>()
    _ = Self.numbers.single {
      asked.append($0)
      return true
    }.subscribe(probe)
    #expect(asked == [1, 2])
    #expect(probe.events == [.next(1), .error(RxError.moreThanOneElement)])
  }

  @Test("dematerialize")
  func dematerialize() {
    let (attempts, probe) = attempts { $0.map { _ in Event<Int>.error(TestError.one) }.dematerialize() }
    #expect(attempts == 3)
    #expect(probe.events == [.error(TestError.one)])
  }

  @Test("element(at:)")
  func elementAt() {
    let probe = Probe<Int>()
    let source = Observable<Int>.never().startWith(1, 2, 3, 4)
    _ = source.element(at: 0).concat(source.element(at: 1)).subscribe(probe)
    #expect(probe.events == [.next(1), .next(2), .completed])
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let elements: [Int]
    let make: @Sendable () -> Observable<Int>

    init(_ name: String, sends elements: [Int] = [], _ make: @escaping @Sendable () -> Observable<Int>) {
      testDescription = name
      self.elements = elements
      self.make = make
    }
  }

  /// Keeps sending during its subscription, even after its observer has ended.
  private static var numbers: Observable<Int> { Observable<Int>.never().startWith(1, 2, 3, 4) }

  private static let failing = [
    Row("merge") { .merge(.error(TestError.one), .just(2)) },
    Row("flatMap") { numbers.flatMap { $0 == 1 ? Observable<Int>.error(TestError.one) : .just($0) } },
    Row("flatMapFirst") {
      numbers.flatMapFirst { $0 == 1 ? Observable<Int>.error(TestError.one) : .just($0) }
    },
    Row("flatMapLatest") {
      numbers.flatMapLatest { $0 == 1 ? Observable<Int>.error(TestError.one) : .just($0) }
    },
    Row("concatMap") { numbers.concatMap { $0 == 1 ? Observable<Int>.error(TestError.one) : .just($0) } },
    Row("take(until:)") { numbers.take(until: Observable<Int>.error(TestError.one)) },
    Row("withLatestFrom") {
      numbers.withLatestFrom(Observable<Int>.error(TestError.one).startWith(5))
    },
    Row("sample") { Observable<Int>.error(TestError.one).sample(Observable.just(0), defaultValue: 7) },
    Row("combineLatest") {
      Observable.combineLatest(Observable<Int>.error(TestError.one).startWith(1), numbers) { $0 + $1 }
    },
    Row("amb") { .amb([.error(TestError.one), .just(2)]) },
    Row("create") {
      .create { observer in
        observer.onError(TestError.one)
        observer.onNext(2)
        return Disposables.create()
      }
    },
  ]

  @Test("nothing is delivered after an operator's error, and the error causes one retry", arguments: failing)
  private func fails(row: Row) {
    var attempts = 0
    let sequence = Observable<Int>.deferred {
      attempts += 1
      return row.make()
    }
    let probe = Probe<Int>()
    _ = sequence.retry(3).subscribe(probe)
    #expect(attempts == 3)
    #expect(probe.events == [.error(TestError.one)])
  }

  private static let failingMidway = [
    Row("asSingle") { numbers.asSingle().asObservable() },
    Row("asMaybe") { numbers.asMaybe().asObservable() },
    Row("single") { numbers.single() }, Row("reduce") { numbers.reduce(0) { _, _ in throw TestError.one } },
    Row("map") { numbers.map { _ in throw TestError.one } },
    Row("do") { numbers.do(onNext: { _ in throw TestError.one }) },
    Row("dematerialize") { numbers.map { _ in Event<Int>.error(TestError.one) }.dematerialize() },
    Row("take(while:)") { numbers.take(while: { _ in throw TestError.one }) },
    Row("catch") { numbers.map { _ in throw TestError.one }.catch { _ in .error(TestError.two) } },
    Row("groupBy") { numbers.groupBy { _ -> Int in throw TestError.one }.flatMap { $0 } },
  ]

  @Test("retry(when:) receives one error", arguments: failing + failingMidway)
  private func failsOnce(row: Row) {
    var errors = 0
    let sequence = row.make().retry { (failures: Observable<any Error>) in
      failures.do(onNext: { _ in errors += 1 }).flatMap { _ in Observable<Int>.never() }
    }
    sequence.subscribe().dispose()
    #expect(errors == 1)
  }

  @Test("reduce does not call its accumulator after its error")
  func accumulator() {
    var calls: [Int] = []
    _ = Self.numbers.reduce(0) { _, element in
      calls.append(element)
      throw TestError.one
    }.subscribe { _ in }
    #expect(calls == [1])
  }

  @Test("first sends one element")
  func first() {
    let probe = Probe<Int?>()
    let first = Self.numbers.first().asObservable()
    _ = first.concat(first).subscribe(probe)
    #expect(probe.events == [.next(1), .next(1), .completed])
  }

  private static let completing = [
    Row("take", sends: [1, 2]) { numbers.take(2) },
    Row("take(while:)", sends: [1]) { numbers.take(while: { $0 != 2 }) },
    Row("take(while:) with the last", sends: [1, 2]) {
      numbers.take(while: { $0 != 2 }, behavior: .inclusive)
    },
    Row("take(until:)") { numbers.take(until: Observable.just(0)) },
    Row("element(at:)", sends: [2]) { numbers.element(at: 1) },
    Row("first", sends: [1]) { numbers.first().asObservable().compactMap { $0 } },
    Row("dematerialize", sends: [1]) {
      numbers.map { $0 == 2 ? Event<Int>.completed : .next($0) }.dematerialize()
    },
    // The object is released when the call returns.
    Row("withUnretained") { numbers.withUnretained(BooleanDisposable()) { $1 } },
  ]

  @Test(
    "nothing is delivered after an operator's end, and concat subscribes only to the next sequence",
    arguments: completing)
  private func completes(row: Row) {
    let (second, third) = (PublishSubject<Int>(), PublishSubject<Int>())
    let probe = Probe<Int>()
    let subscription = Observable.concat([row.make(), second.asObservable(), third.asObservable()])
      .subscribe(probe)
    #expect(probe.events == row.elements.map { .next($0) })
    #expect(second.hasObservers)
    #expect(!third.hasObservers)
    subscription.dispose()
  }
}
