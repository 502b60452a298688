import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// The order in which the sequences of a chain are subscribed to, disposed and delivered.
@Suite("The order of subscriptions and disposals")
struct SubscriptionOrderTests {
  private let log = Log()

  private func logged(_ name: String, _ source: Observable<Int>) -> Observable<Int> {
    source.do(
      onSubscribe: { [log] in log.add("+\(name)") }, onDispose: { [log] in log.add("-\(name)") })
  }

  private func subscribe(_ sequence: Observable<Int>) -> any Disposable {
    sequence.subscribe { [log] event in log.add("\(event)") }
  }

  @Test("concat disposes a part before it subscribes to the next, and the last one after the end")
  func concat() {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    _ = subscribe(logged("1", first).concat(logged("2", second)))
    first.onCompleted()
    second.onNext(5)
    second.onCompleted()
    #expect(log.lines == ["+1", "-1", "+2", "next(5)", "completed", "-2"])
  }

  @Test("concat forwards an error, then disposes the part")
  func concatError() {
    let first = PublishSubject<Int>()
    _ = subscribe(logged("1", first).concat(logged("2", .empty())))
    first.onError(TestError.one)
    #expect(log.lines == ["+1", "error(one)", "-1"])
  }

  @Test("catch(sequence:) disposes a part before it subscribes to the next, and the last one after the end")
  func catchSequence() {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    _ = subscribe(Observable.catch(sequence: [logged("1", first), logged("2", second)]))
    first.onError(TestError.one)
    second.onError(TestError.two)
    #expect(log.lines == ["+1", "-1", "+2", "error(two)", "-2"])
  }

  @Test("retry disposes the failed attempt before the next")
  func retry() {
    let source = PublishSubject<Int>()
    let failing = logged("1", .deferred { source.asObservable() })
    _ = subscribe(failing.retry(2))
    source.onError(TestError.one)
    // The second attempt fails during its subscription: it has ended before the retry continues.
    #expect(log.lines == ["+1", "-1", "+1", "-1", "error(one)"])
  }

  @Test("catch subscribes to the handler's sequence before it disposes the failed source")
  func catchOrder() {
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    _ = subscribe(
      logged("1", first).catch { [log] _ in
        log.add("handler")
        return logged("2", second)
      })
    first.onError(TestError.one)
    second.onCompleted()
    #expect(log.lines == ["+1", "handler", "+2", "-1", "completed", "-2"])
  }

  @Test("andThen subscribes to the second before it disposes the first")
  func andThen() {
    let (first, second) = (PublishSubject<Never>(), PublishSubject<Int>())
    let completable = first.do(
      onSubscribe: { [log] in log.add("+1") }, onDispose: { [log] in log.add("-1") }
    ).asCompletable()
    _ = subscribe(completable.andThen(logged("2", second)))
    first.onCompleted()
    second.onNext(5)
    second.onCompleted()
    #expect(log.lines == ["+1", "+2", "-1", "next(5)", "completed", "-2"])
  }

  @Test("a stop event during the subscription to a part is delivered at once")
  func synchronousEnd() {
    let source = Observable<Int>.create { [log] observer in
      observer.onError(TestError.one)
      log.add("after the error")
      return Disposables.create()
    }
    _ = subscribe(.concat([source]))
    _ = subscribe(source.catch { _ in .empty() })
    #expect(log.lines == ["error(one)", "after the error", "completed", "after the error"])
  }

  @Test("a part of a chain may be a chain of the same or the other kind")
  func nested() {
    let failing = Observable.concat([.just(1), .error(TestError.one)])
    let caught = Observable.catch(sequence: [failing, .just(2)])
    _ = subscribe(
      .concat([.concat([caught, .concat([])]), .deferred { .concat([.just(3), .deferred { .just(4) }]) }]))
    _ = subscribe(.catch(sequence: [.catch(sequence: [failing, failing]), .concat([failing, .just(9)])]))
    #expect(
      log.lines == [
        "next(1)", "next(2)", "next(3)", "next(4)", "completed", "next(1)", "next(1)", "next(1)",
        "error(one)",
      ])
  }

  @Test("an error that a deferred factory throws is the error of the part")
  func throwing() {
    _ = subscribe(.concat([.just(1), .deferred { throw TestError.one }, .just(2)]))
    _ = subscribe(.catch(sequence: [.deferred { throw TestError.one }, .just(2)]))
    #expect(log.lines == ["next(1)", "error(one)", "next(2)", "completed"])
  }
}
