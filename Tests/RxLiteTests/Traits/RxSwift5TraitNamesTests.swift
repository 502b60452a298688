import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("older spellings of the traits")
struct RxSwift5TraitNamesTests {
  @Test("the older spellings do the same as the newer ones")
  func forwards() {
    let scheduler = TestScheduler(initialClock: 0)
    let failing = scheduler.cold(.error(10, TestError.one))
    var results: [TestableObserver<Int>] = []
    let sequences: [Observable<Int>] = [
      failing.asSingle().catchErrorJustReturn(1).asObservable(),
      failing.asMaybe().catchErrorJustReturn(2).asObservable(),
      failing.asMaybe().catchError { _ in .just(3) }.asObservable(),
      failing.asMaybe().retryWhen { (errors: Observable<any Error>) in errors.take(0) }.asObservable(),
      Single.just(5).observeOn(scheduler).asObservable(),
      Single.just(6).subscribeOn(scheduler).asObservable(),
    ]
    for sequence in sequences {
      let observer = scheduler.createObserver(Int.self)
      results.append(observer)
      scheduler.scheduleAt(200) { _ = sequence.subscribe(observer) }
    }
    scheduler.start()
    #expect(
      results.map(\.events) == [
        [.next(210, 1), .completed(210)], [.next(210, 2), .completed(210)],
        [.next(210, 3), .completed(210)], [.completed(210)], [.next(201, 5), .completed(202)],
        [.next(201, 6), .completed(201)],
      ])
  }

  @Test("onError of a single is its onFailure")
  func onError() {
    let log = Log()
    for single in [Single.just(1), .error(TestError.one)] {
      _ = single.subscribe(
        onSuccess: { log.add("success \($0)") }, onError: { log.add("error \($0)") },
        onDisposed: { log.add("disposed") })
    }
    #expect(log.lines == ["success 1", "disposed", "error one", "disposed"])
  }

  @Test("retryWhen that names another type of error forwards the error")
  func retryWhenOfAnotherType() {
    let scheduler = TestScheduler(initialClock: 0)
    let failing = scheduler.cold(.error(10, TestError.one))
    let observer = scheduler.start {
      failing.asSingle().retryWhen { (errors: Observable<RxError>) in errors }
    }
    #expect(observer.events == [.error(210, TestError.one)])
  }
}
