import RxLite
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

  @Test("are not called for elements that wait at the disposal")
  func notCalled() {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    let subscription = SingleAssignmentDisposable()
    var calls = 0
    let sums = Observable.combineLatest(first, second) { left, right in
      calls += 1
      return left + right
    }
    subscription.setDisposable(
      sums.subscribe(onNext: { _ in
        first.onNext(2)
        first.onNext(3)
        subscription.dispose()
      }))
    first.onNext(1)
    second.onNext(1)
    #expect(calls == 1)
  }
}
