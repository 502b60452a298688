import RxLite
@testable import RxLiteTestSupport
import Testing

/// An operator that ends a sequence does so once, even if the source cannot be disposed yet and continues.
@Suite("Operators that end by themselves")
struct EarlyTerminationTests {
  private func attempts(_ apply: @escaping (Observable<Int>) -> Observable<Int>) -> (
    attempts: Int, recorder: RecordingObserver<Int>
  ) {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return Observable<Int>.never().startWith(1, 2, 3, 4)
    }
    let recorder = RecordingObserver<Int>()
    _ = apply(source).retry(3).subscribe(recorder)
    return (attempts, recorder)
  }

  @Test("an error of reduce causes one retry")
  func reduce() {
    let (attempts, recorder) = attempts { $0.reduce(0) { _, _ in throw TestError.one } }
    #expect(attempts == 3)
    #expect(recorder.events == [.error(TestError.one)])
  }

  @Test("an error of single causes one retry")
  func single() {
    let (attempts, recorder) = attempts { $0.single() }
    #expect(attempts == 3)
    #expect(recorder.events == [.next(1), .next(1), .next(1), .error(RxError.moreThanOneElement)])
  }

  @Test("single does not call its predicate after its error")
  func singlePredicate() {
    var asked: [Int] = []
    let recorder = RecordingObserver<Int>()
    _ = Self.numbers.single {
      asked.append($0)
      return true
    }.subscribe(recorder)
    #expect(asked == [1, 2])
    #expect(recorder.events == [.next(1), .error(RxError.moreThanOneElement)])
  }

  @Test("an error of dematerialize causes one retry")
  func dematerialize() {
    let (attempts, recorder) = attempts { $0.map { _ in Event<Int>.error(TestError.one) }.dematerialize() }
    #expect(attempts == 3)
    #expect(recorder.events == [.error(TestError.one)])
  }

  @Test("element(at:) completes once")
  func elementAt() {
    let recorder = RecordingObserver<Int>()
    let source = Observable<Int>.never().startWith(1, 2, 3, 4)
    _ = source.element(at: 0).concat(source.element(at: 1)).subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .completed])
  }

  struct OperatorCase: Sendable, CustomTestStringConvertible {
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
    OperatorCase("merge") { .merge(.error(TestError.one), .just(2)) },
    OperatorCase("flatMap") {
      numbers.flatMap { $0 == 1 ? Observable<Int>.error(TestError.one) : .just($0) }
    },
    OperatorCase("flatMapFirst") {
      numbers.flatMapFirst { $0 == 1 ? Observable<Int>.error(TestError.one) : .just($0) }
    },
    OperatorCase("flatMapLatest") {
      numbers.flatMapLatest { $0 == 1 ? Observable<Int>.error(TestError.one) : .just($0) }
    },
    OperatorCase("concatMap") {
      numbers.concatMap { $0 == 1 ? Observable<Int>.error(TestError.one) : .just($0) }
    },
    OperatorCase("take(until:)") { numbers.take(until: Observable<Int>.error(TestError.one)) },
    OperatorCase("withLatestFrom") {
      numbers.withLatestFrom(Observable<Int>.error(TestError.one).startWith(5))
    },
    OperatorCase("sample") {
      Observable<Int>.error(TestError.one).sample(Observable.just(0), defaultValue: 7)
    },
    OperatorCase("combineLatest") {
      Observable.combineLatest(Observable<Int>.error(TestError.one).startWith(1), numbers) { $0 + $1 }
    },
    OperatorCase("amb") { .amb([.error(TestError.one), .just(2)]) },
    OperatorCase("create") {
      .create { observer in
        observer.onError(TestError.one)
        observer.onNext(2)
        return Disposables.create()
      }
    },
  ]

  @Test("nothing is delivered after an operator's error, and the error causes one retry", arguments: failing)
  private func fails(row: OperatorCase) {
    var attempts = 0
    let sequence = Observable<Int>.deferred {
      attempts += 1
      return row.make()
    }
    let recorder = RecordingObserver<Int>()
    _ = sequence.retry(3).subscribe(recorder)
    #expect(attempts == 3)
    #expect(recorder.events == [.error(TestError.one)])
  }

  private static let failingMidway = [
    OperatorCase("asSingle") { numbers.asSingle().asObservable() },
    OperatorCase("asMaybe") { numbers.asMaybe().asObservable() },
    OperatorCase("single") { numbers.single() },
    OperatorCase("reduce") { numbers.reduce(0) { _, _ in throw TestError.one } },
    OperatorCase("map") { numbers.map { _ in throw TestError.one } },
    OperatorCase("do") { numbers.do(onNext: { _ in throw TestError.one }) },
    OperatorCase("dematerialize") { numbers.map { _ in Event<Int>.error(TestError.one) }.dematerialize() },
    OperatorCase("take(while:)") { numbers.take(while: { _ in throw TestError.one }) },
    OperatorCase("catch") { numbers.map { _ in throw TestError.one }.catch { _ in .error(TestError.two) } },
    OperatorCase("groupBy") { numbers.groupBy { _ -> Int in throw TestError.one }.flatMap { $0 } },
  ]

  @Test("retry(when:) receives one error", arguments: failing + failingMidway)
  private func failsOnce(row: OperatorCase) {
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
    let recorder = RecordingObserver<Int?>()
    let first = Self.numbers.first().asObservable()
    _ = first.concat(first).subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(1), .completed])
  }

  private static let completing = [
    OperatorCase("take", sends: [1, 2]) { numbers.take(2) },
    OperatorCase("take(while:)", sends: [1]) { numbers.take(while: { $0 != 2 }) },
    OperatorCase("take(while:) with the last", sends: [1, 2]) {
      numbers.take(while: { $0 != 2 }, behavior: .inclusive)
    },
    OperatorCase("take(until:)") { numbers.take(until: Observable.just(0)) },
    OperatorCase("element(at:)", sends: [2]) { numbers.element(at: 1) },
    OperatorCase("first", sends: [1]) { numbers.first().asObservable().compactMap { $0 } },
    OperatorCase("dematerialize", sends: [1]) {
      numbers.map { $0 == 2 ? Event<Int>.completed : .next($0) }.dematerialize()
    },
    // The object is released when the call returns.
    OperatorCase("withUnretained") { numbers.withUnretained(BooleanDisposable()) { $1 } },
  ]

  @Test(
    "nothing is delivered after an operator's end, and concat subscribes only to the next sequence",
    arguments: completing)
  private func completes(row: OperatorCase) {
    let (second, third) = (PublishSubject<Int>(), PublishSubject<Int>())
    let recorder = RecordingObserver<Int>()
    let subscription = Observable.concat([row.make(), second.asObservable(), third.asObservable()])
      .subscribe(recorder)
    #expect(recorder.events == row.elements.map { .next($0) })
    #expect(second.hasObservers)
    #expect(!third.hasObservers)
    subscription.dispose()
  }
}
