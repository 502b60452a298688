import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("using")
struct UsingTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private final class Resource: Disposable, @unchecked Sendable {
    // Used on one thread.
    let log: Log
    let clock: () -> Int
    init(_ log: Log, clock: @escaping () -> Int) {
      self.log = log
      self.clock = clock
    }
    func dispose() { log.add("resource \(clock())") }
  }

  private func use(_ source: TestableObservable<Int>, _ log: Log) -> Observable<Int> {
    let scheduler = scheduler
    return .using {
      log.add("made \(scheduler.clock)")
      return Resource(log) { scheduler.clock }
    } observableFactory: { _ in
      source.do(onDispose: { log.add("sequence \(scheduler.clock)") })
    }
  }

  @Test("the resource is disposed after the sequence, at its end", arguments: [false, true])
  func ends(fails: Bool) {
    let stop: Recorded<Event<Int>> = fails ? .error(250, TestError.one) : .completed(250)
    let (source, log) = (scheduler.hot(.next(210, 1), stop), Log())
    #expect(scheduler.start { use(source, log) }.events == [.next(210, 1), stop])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(log.lines == ["made 200", "sequence 250", "resource 250"])
  }

  @Test("the resource is disposed with the subscription")
  func disposed() {
    let (source, log) = (scheduler.hot(.next(210, 1)), Log())
    #expect(scheduler.start(disposed: 220) { use(source, log) }.events == [.next(210, 1)])
    #expect(log.lines == ["made 200", "sequence 220", "resource 220"])
  }

  @Test("an error of the resource factory ends it")
  func resourceThrows() {
    let observer = scheduler.start {
      Observable<Int>.using { () -> BooleanDisposable in
        throw TestError.one
      } observableFactory: { _ in
        .never()
      }
    }
    #expect(observer.events == [.error(200, TestError.one)])
  }

  @Test("an error of the sequence factory ends it, and the resource is disposed")
  func sequenceThrows() {
    let resource = BooleanDisposable()
    let observer = scheduler.start {
      Observable<Int>.using {
        resource
      } observableFactory: { _ in
        throw TestError.one
      }
    }
    #expect(observer.events == [.error(200, TestError.one)])
    #expect(resource.isDisposed)
  }
}
