import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("names of RxSwift 5")
struct RxSwift5NamesTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source() -> TestableObservable<Int> {
    scheduler.cold(.next(10, 1), .next(20, 2), .next(30, 3), .completed(40))
  }

  private func events(_ make: @escaping () -> Observable<Int>) -> [Recorded<Event<Int>>] {
    scheduler.start { make() }.events
  }

  @Test("observeOn")
  func observeOn() {
    #expect(
      events { source().observeOn(scheduler) } == [
        .next(211, 1), .next(221, 2), .next(231, 3), .completed(241),
      ])
  }

  @Test("subscribeOn")
  func subscribeOn() {
    #expect(
      events { source().subscribeOn(scheduler) } == [
        .next(211, 1), .next(221, 2), .next(231, 3), .completed(241),
      ])
  }

  @Test("take with a duration")
  func takeFor() {
    #expect(
      events { source().take(.seconds(15), scheduler: scheduler) } == [.next(210, 1), .completed(215)])
  }

  @Test("takeUntil")
  func takeUntil() {
    let trigger = scheduler.cold(.next(25, 0))
    #expect(
      events { source().takeUntil(trigger) } == [.next(210, 1), .next(220, 2), .completed(225)])
  }

  @Test("takeUntil with a predicate")
  func takeUntilPredicate() {
    #expect(
      events { source().takeUntil(.inclusive) { $0 == 2 } } == [
        .next(210, 1), .next(220, 2), .completed(220),
      ])
  }

  @Test("takeWhile")
  func takeWhile() {
    #expect(events { source().takeWhile { $0 < 2 } } == [.next(210, 1), .completed(220)])
  }

  @Test("skipUntil")
  func skipUntil() {
    let trigger = scheduler.cold(.next(15, 0))
    #expect(
      events { source().skipUntil(trigger) } == [.next(220, 2), .next(230, 3), .completed(240)])
  }

  @Test("skipWhile")
  func skipWhile() {
    #expect(events { source().skipWhile { $0 < 3 } } == [.next(230, 3), .completed(240)])
  }

  @Test("catchError, catchErrorJustReturn")
  func catchError() {
    let failing = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    #expect(
      events { failing.catchError { _ in .just(9) }.concat(failing.catchErrorJustReturn(8)) } == [
        .next(210, 1), .next(220, 9), .next(230, 1), .next(240, 8), .completed(240),
      ])
  }

  @Test("catchError of a list")
  func catchErrorList() {
    let failing = scheduler.cold(.error(20, TestError.one))
    #expect(
      events { Observable.catchError([failing.asObservable(), .just(9)]) } == [
        .next(220, 9), .completed(220),
      ])
  }

  @Test("retryWhen, with and without naming the error")
  func retryWhen() {
    let failing = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    #expect(
      events { failing.retryWhen { errors in errors.take(2) } } == [
        .next(210, 1), .next(230, 1), .next(250, 1), .completed(260),
      ])
    let other = scheduler.createObserver(Int.self)
    let subscription = failing.retryWhen { (errors: Observable<TestError>) in errors.take(2) }.subscribe(
      other)
    scheduler.start()
    #expect(other.events.map(\.value) == [.next(1), .next(1), .next(1), .completed])
    subscription.dispose()
  }

  @Test("the names of Single")
  func single() {
    let failing = Single<Int>.error(TestError.one)
    let observer = scheduler.start {
      failing
        .subscribeOn(scheduler).observeOn(scheduler)
        .retryWhen { (errors: Observable<any Error>) in errors.take(1).concat(Observable.error(TestError.two))
        }
        .catchError { _ in .just(9) }
    }
    #expect(observer.events.compactMap(\.value.element) == [9])
  }

  @Test("takeUntil with a predicate, without the element that ends it")
  func takeUntilExclusive() {
    #expect(events { source().takeUntil(.exclusive) { $0 == 2 } } == [.next(210, 1), .completed(220)])
  }

  @Test("retryWhen that names another type of error forwards the error")
  func retryWhenOfAnotherType() {
    let failing = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    #expect(
      events { failing.retryWhen { (errors: Observable<RxError>) in errors } } == [
        .next(210, 1), .error(220, TestError.one),
      ])
  }

  @Test("elementAt")
  func elementAt() {
    #expect(
      events { source().elementAt(1).concat(source().elementAt(3)) } == [
        .next(220, 2), .error(260, RxError.argumentOutOfRange),
      ])
  }
}
