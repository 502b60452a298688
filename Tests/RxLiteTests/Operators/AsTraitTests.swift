import RxLite
import RxLiteTesting
import Testing

@Suite("asSingle, asMaybe, first, ignoreElements and toArray")
struct AsTraitTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("asSingle and asMaybe send the one element at the end", arguments: [false, true])
  func one(isMaybe: Bool) {
    let source = scheduler.hot(.next(210, 1), .completed(220))
    let observer = scheduler.start { only(source, isMaybe) }
    #expect(observer.events == [.next(220, 1), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("a second element ends them", arguments: [false, true])
  func many(isMaybe: Bool) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    let observer = scheduler.start { only(source, isMaybe) }
    #expect(observer.events == [.error(220, RxError.moreThanOneElement)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("without an element a single fails and a maybe ends", arguments: [false, true])
  func none(isMaybe: Bool) {
    let source = scheduler.hot(.completed(220))
    let observer = scheduler.start { only(source, isMaybe) }
    #expect(observer.events == [isMaybe ? .completed(220) : .error(220, RxError.noElements)])
  }

  @Test("an error passes", arguments: [false, true])
  func error(isMaybe: Bool) {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    #expect(scheduler.start { only(source, isMaybe) }.events == [.error(220, TestError.one)])
  }

  @Test("a source that goes on while it is being subscribed is not heard after the second element")
  func synchronous() {
    let probe = Probe<Int>()
    _ = Observable<Int>.create { observer in
      (1...4).forEach(observer.onNext)
      return Disposables.create()
    }.asMaybe().asObservable().do(onError: { _ in probe.on(.completed) }).subscribe(onError: { _ in })
    #expect(probe.events == [.completed])
  }

  @Test("first sends the first element at once, and unsubscribes")
  func first() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    let observer = scheduler.start { source.first() }
    #expect(observer.events == [.next(210, 1), .completed(210)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("first sends nil where there is no element, and passes an error")
  func firstOfNone() {
    let empty = scheduler.hot(.completed(230))
    #expect(scheduler.start { empty.first() }.events == [.next(230, nil), .completed(230)])
    let other = TestScheduler(initialClock: 0)
    let failing = other.hot(.error(230, TestError.one))
    #expect(other.start { failing.first() }.events == [.error(230, TestError.one)])
  }

  @Test("first sends once where the element makes its source send another")
  func reentrantFirst() {
    let subject = PublishSubject<Int>()
    let probe = Probe<Int?>()
    _ = subject.first().asObservable().subscribe { event in
      probe.on(event)
      subject.onNext(2)
    }
    subject.onNext(1)
    #expect(probe.events == [.next(1), .completed])
  }

  @Test("ignoreElements leaves only the end", arguments: [false, true])
  func ignoreElements(fails: Bool) {
    let source = scheduler.hot(
      .next(210, 1), .next(220, 2), fails ? .error(230, TestError.one) : .completed(230))
    let observer: TestableObserver<Never> = scheduler.start { source.ignoreElements() }
    #expect(observer.events.map(\.time) == [230])
    #expect(observer.events.map(\.value.isCompleted) == [!fails])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("toArray sends all elements at the end")
  func toArray() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    #expect(scheduler.start { source.toArray() }.events == [.next(230, [1, 2]), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("toArray of nothing is empty, an error passes, and each subscription starts anew")
  func toArrayEnds() {
    var arrays: [[Int]] = []
    _ = Observable<Int>.empty().toArray().subscribe(onSuccess: { arrays.append($0) })
    let numbers = Observable.of(1, 2).toArray()
    for _ in 0..<2 { _ = numbers.subscribe(onSuccess: { arrays.append($0) }) }
    #expect(arrays == [[], [1, 2], [1, 2]])
    let failing = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    #expect(scheduler.start { failing.toArray() }.events == [.error(220, TestError.one)])
  }

  private func only(_ source: TestableObservable<Int>, _ isMaybe: Bool) -> Observable<Int> {
    isMaybe ? source.asMaybe().asObservable() : source.asSingle().asObservable()
  }
}
