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
}
