import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// An operator that subscribes to another sequence while it handles an event must not keep an endless
/// synchronous sequence from ending.
@Suite("Operators that continue with an endless sequence")
struct EndlessContinuationTests {
  enum Continuation: CaseIterable, Sendable {
    case concat, catchError, catchSequence, retryWhen, ifEmpty
    case flatMap, flatMapFirst, flatMapLatest, concatMap, concatOfCompletables

    /// Returns a sequence that continues with `part` when `first` sends the event of `start`.
    func sequence(_ first: PublishSubject<Int>, _ part: Observable<Int>) -> Observable<Int> {
      var attempts = 0
      switch self {
      case .concat: return first.concat(part)
      case .catchError: return first.catch { _ in part }
      case .catchSequence: return .catch(sequence: [first.asObservable(), part, .just(-1)])
      case .retryWhen:
        return Observable.deferred {
          attempts += 1
          return attempts == 1 ? first.asObservable() : part
        }
        .retry { (errors: Observable<any Error>) in errors.take(1) }
      case .ifEmpty: return first.ifEmpty(switchTo: part)
      case .flatMap: return first.flatMap { _ in part }
      case .flatMapFirst: return first.flatMapFirst { _ in part }
      case .flatMapLatest: return first.flatMapLatest { _ in part }
      case .concatMap: return first.concatMap { _ in part }
      case .concatOfCompletables:
        let completables = [first.asObservable(), part].map { $0.ignoreElements().asCompletable() }
        return Completable.concat(completables).andThen(Observable<Int>.empty())
      }
    }

    func start(_ first: PublishSubject<Int>) {
      switch self {
      case .concat, .ifEmpty, .concatOfCompletables: first.onCompleted()
      case .catchError, .catchSequence, .retryWhen: first.onError(TestError.one)
      case .flatMap, .flatMapFirst, .flatMapLatest, .concatMap: first.onNext(0)
      }
    }
  }

  enum End: CaseIterable, Sendable {
    case take, takeWhile, error

    func end(_ source: Observable<Int>) -> Observable<Int> {
      switch self {
      case .take: source.take(1)
      case .takeWhile: source.take(while: { $0 < 1 })
      case .error: source.map { if $0 < 1 { $0 } else { throw TestError.two } }
      }
    }
  }

  @Test(
    "an operator that ends the endless sequence disposes it", arguments: Continuation.allCases, End.allCases)
  func ends(continuation: Continuation, end: End) {
    let (first, endless) = (PublishSubject<Int>(), EndlessSource())
    let sequence = continuation.sequence(first, end.end(endless.asObservable()))
    let subscription = sequence.subscribe(onError: { _ in })
    continuation.start(first)
    #expect((1...2).contains(endless.sent))
    subscription.dispose()
  }

  @Test("so does the end of the continuing operator", arguments: Continuation.allCases, End.allCases)
  func endsOutside(continuation: Continuation, end: End) {
    let (first, endless) = (PublishSubject<Int>(), EndlessSource())
    let sequence = end.end(continuation.sequence(first, endless.asObservable()))
    let subscription = sequence.subscribe(onError: { _ in })
    continuation.start(first)
    #expect((continuation == .concatOfCompletables ? 0...10_000 : 1...2).contains(endless.sent))
    subscription.dispose()
  }

  enum TimedOperator: CaseIterable, Sendable {
    case debounce, buffer, takeFor

    func apply(_ source: Observable<Int>, _ scheduler: TestScheduler) -> Observable<Int> {
      switch self {
      case .debounce: source.debounce(.seconds(1), scheduler: scheduler)
      case .buffer: source.buffer(timeSpan: .seconds(1), count: 9, scheduler: scheduler).map(\.count)
      case .takeFor: source.take(for: .seconds(1), scheduler: scheduler)
      }
    }
  }

  @Test("also inside a delivery of an operator with a timer", arguments: TimedOperator.allCases)
  func endsInsideTimedDelivery(row: TimedOperator) {
    let (first, endless) = (PublishSubject<Int>(), EndlessSource())
    let scheduler = TestScheduler(initialClock: 0)
    let next = End.error.end(endless.asObservable())
    var isStarted = false
    func start() {
      if isStarted { return }
      isStarted = true
      first.onError(TestError.one)
    }
    let subscription = row.apply(first.catch { _ in next }, scheduler)
      .subscribe(onNext: { _ in if row != .takeFor { start() } }, onError: { _ in }, onCompleted: start)
    first.onNext(1)
    scheduler.advanceTo(5)
    #expect(isStarted)
    #expect((1...100).contains(endless.sent))
    subscription.dispose()
  }

  @Test(
    "also inside a delivery of an operator downstream", arguments: MultiSourceOperator.all,
    Continuation.allCases)
  func endsInsideDelivery(combination: MultiSourceOperator, continuation: Continuation) {
    for (position, end) in (0..<3).flatMap({ position in End.allCases.map { (position, $0) } }) {
      let (first, endless) = (PublishSubject<Int>(), EndlessSource())
      let others = PublishSubject<Int>()
      var sources = [others.asObservable(), others.asObservable(), others.asObservable()]
      sources[position] = continuation.sequence(first, end.end(endless.asObservable())).startWith(1)
      var isStarted = false
      let subscription = combination.combine(sources).subscribe(
        onNext: { _ in
          if isStarted { return }
          isStarted = true
          continuation.start(first)
        }, onError: { _ in })
      others.onNext(1)
      others.onNext(2)
      #expect(endless.sent <= 100)
      subscription.dispose()
    }
  }
}
