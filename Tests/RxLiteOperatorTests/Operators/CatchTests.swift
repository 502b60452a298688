import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("catch")
struct CatchTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func failing() -> TestableObservable<Int> {
    scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .error(230, TestError.one), .next(240, 9))
  }

  @Test("the handler's sequence continues after the error")
  func takesOver() {
    let (source, other) = (failing(), scheduler.cold(.next(10, 3), .completed(20)))
    var errors: [any Error] = []
    let observer = scheduler.start {
      source.catch { error in
        errors.append(error)
        return other.asObservable()
      }
    }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(240, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(other.subscriptions == [Subscription(230, 250)])
    #expect(errors as? [TestError] == [.one])
  }

  @Test("without an error the handler is not called")
  func noError() {
    let source = scheduler.hot(.next(210, 1), .completed(220))
    var calls = 0
    let observer = scheduler.start {
      source.catch { _ in
        calls += 1
        return .never()
      }
    }
    #expect(observer.events == [.next(210, 1), .completed(220)])
    #expect(calls == 0)
  }

  @Test("an error of the handler's sequence is not caught again")
  func secondError() {
    let (source, other) = (failing(), scheduler.cold(.error(10, TestError.two)))
    let observer = scheduler.start { source.catch { _ in other.asObservable() } }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .error(240, TestError.two)])
    #expect(other.subscriptions == [Subscription(230, 240)])
  }

  @Test("an error that the handler throws replaces the first one")
  func handlerThrows() {
    let source = failing()
    let observer = scheduler.start { source.catch { _ in throw TestError.two } }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .error(230, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("disposal disposes the handler's sequence")
  func disposed() {
    let (source, other) = (failing(), scheduler.cold(.next(10, 3), .next(20, 4)))
    let observer = scheduler.start(disposed: 245) { source.catch { _ in other.asObservable() } }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(240, 3)])
    #expect(other.subscriptions == [Subscription(230, 245)])
  }

  @Test("the next sequence of a list continues after each error")
  func sequence() {
    let sources = [
      scheduler.cold(.next(10, 1), .error(20, TestError.one)),
      scheduler.cold(.next(10, 2), .completed(20)),
      scheduler.cold(.next(10, 3)),
    ]
    let observer = scheduler.start { Observable.catch(sequence: sources.map { $0.asObservable() }) }
    #expect(observer.events == [.next(210, 1), .next(230, 2), .completed(240)])
    #expect(sources.map(\.subscriptions) == [[Subscription(200, 220)], [Subscription(220, 240)], []])
  }

  @Test("the next sequence of a list without end is requested after each error, and not before")
  func endlessSequence() {
    var made = 0
    let attempts = AnySequence<Observable<Int>> {
      AnyIterator {
        made += 1
        return made < 3 ? .error(TestError.one) : .just(made)
      }
    }
    let observer = scheduler.start { Observable.catch(sequence: attempts) }
    #expect(observer.events == [.next(200, 3), .completed(200)])
    #expect(made == 3)
  }

  @Test("if all sequences of a list fail, it ends with the last error")
  func sequenceFails() {
    let observer = scheduler.start {
      Observable<Int>.catch(sequence: [.error(TestError.one), .error(TestError.two)])
    }
    #expect(observer.events == [.error(200, TestError.two)])
  }

  @Test("an empty list of attempts completes, and nothing follows it")
  func emptyNestedList() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.catch(sequence: [Observable.just(1).retry(0), .just(2)]).subscribe(recorder)
    #expect(recorder.events == [.completed])
  }

  @Test("the next sequence follows a nested list that has failed")
  func nestedLists() {
    let recorder = RecordingObserver<Int>()
    let failing = Observable<Int>.error(TestError.one)
    _ = Observable.catch(sequence: [.catch(sequence: [failing, failing.retry(2)]), .just(2)]).subscribe(
      recorder)
    #expect(recorder.events == [.next(2), .completed])
  }
}
