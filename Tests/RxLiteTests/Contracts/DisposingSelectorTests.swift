import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Selectors that dispose the subscription")
struct DisposingSelectorTests {
  @Test(
    "return sequences that are not subscribed to",
    arguments: ThrowingSelectorTests.FlatteningOperator.allCases)
  func notSubscribed(row: ThrowingSelectorTests.FlatteningOperator) {
    let outer = PublishSubject<Int>()
    let subscription = SingleAssignmentDisposable()
    var subscriptions = 0
    let inner = Observable<Int>.create { _ in
      subscriptions += 1
      return Disposables.create()
    }
    let sequence = row.apply(outer) { element in
      if element == 2 { subscription.dispose() }
      return inner
    }
    subscription.setDisposable(sequence.subscribe())
    outer.onNext(1)
    #expect(subscriptions == 1)
    outer.onNext(2)
    #expect(subscriptions == 1)
    #expect(!outer.hasObservers)
  }

  enum Continuation: CaseIterable, Sendable {
    case catchError, ifEmpty, andThen

    func sequence(_ source: Observable<Int>, _ next: Observable<Int>) -> Observable<Int> {
      switch self {
      case .catchError: source.catch { _ in next }
      case .ifEmpty: source.ifEmpty(switchTo: next)
      case .andThen: source.ignoreElements().asCompletable().andThen(next)
      }
    }
  }

  @Test("keep a sequence from following", arguments: Continuation.allCases)
  func notFollowed(row: Continuation) {
    let source = PublishSubject<Int>()
    let subscription = SingleAssignmentDisposable()
    var subscriptions = 0
    let next = Observable<Int>.create { _ in
      subscriptions += 1
      return Disposables.create()
    }
    let ending = source.materialize().map { event in
      if event.isStopEvent { subscription.dispose() }
      return event
    }
    subscription.setDisposable(row.sequence(ending.dematerialize(), next).subscribe())
    if row == .catchError { source.onError(TestError.one) } else { source.onCompleted() }
    #expect(subscriptions == 0)
  }

  enum WaitingOperator: CaseIterable, Sendable {
    case combineLatest, combineLatestOfThree, combineLatestOfCollection, debounce, buffer

    /// Returns a sequence whose first element is delivered when `second` sends one, or after a second.
    func sequence(
      _ first: Observable<Int>, _ second: Observable<Int>, _ scheduler: TestScheduler
    ) -> Observable<Int> {
      switch self {
      case .combineLatest: .combineLatest(first, second) { $0 + $1 }
      case .combineLatestOfThree: .combineLatest(first, second, second) { $0 + $1 + $2 }
      case .combineLatestOfCollection: .combineLatest([first, second]) { $0[0] + $0[1] }
      case .debounce: first.debounce(.seconds(1), scheduler: scheduler)
      case .buffer: first.buffer(timeSpan: .seconds(1), count: 1_000, scheduler: scheduler).map(\.count)
      }
    }
  }

  @Test("are not called for elements that wait at the disposal", arguments: WaitingOperator.allCases)
  func notCalled(row: WaitingOperator) {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    let scheduler = TestScheduler(initialClock: 0)
    let subscription = SingleAssignmentDisposable()
    var calls = 0
    let mapped = row.sequence(first.asObservable(), second.asObservable(), scheduler).map { element in
      calls += 1
      return element
    }
    subscription.setDisposable(
      mapped.subscribe(onNext: { _ in
        first.onNext(2)
        first.onNext(3)
        first.onCompleted()
        subscription.dispose()
      }))
    first.onNext(1)
    second.onNext(1)
    scheduler.advanceTo(1)
    #expect(calls == 1)
  }

  enum EndingOperator: CaseIterable, Sendable { case sample, throttle }

  @Test("are not called for an end that waits at the disposal", arguments: EndingOperator.allCases)
  func notCalledForTheEnd(row: EndingOperator) {
    let (source, sampler) = (PublishSubject<Int>(), PublishSubject<Int>())
    let scheduler = TestScheduler(initialClock: 0)
    let sequence: Observable<Int> =
      switch row {
      case .sample: source.sample(sampler)
      case .throttle: source.throttle(.seconds(5), scheduler: scheduler)
      }
    let subscription = SingleAssignmentDisposable()
    let log = Log()
    let mapped = sequence.materialize().map { event in
      log.add("\(event)")
      return event.element
    }
    subscription.setDisposable(mapped.subscribe(onNext: { if $0 == 2 { subscription.dispose() } }))
    source.onNext(1)
    source.onNext(2)
    source.onCompleted()
    // Sends the element 2 and the completion, for which the map is not called any more.
    sampler.onNext(0)
    scheduler.advanceTo(5)
    #expect(log.lines == (row == .sample ? ["next(2)"] : ["next(1)", "next(2)"]))
  }
}
