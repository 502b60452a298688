import Dispatch
import ReactiveNetworkLock
import RxLite
import Testing
import XCTest

/// Uses XCTest, which runs tests on the main thread and outside the main queue, as in a command-line program.
final class MainThreadBlockingTests: XCTestCase {
  func testWhatIsSentOnTheMainQueueArrives() throws {
    let background = SerialDispatchQueueScheduler(qos: .default)
    let elements = Observable.of(1, 2, 3, scheduler: background).observe(on: MainScheduler.asyncInstance)
    XCTAssertEqual(try elements.toBlocking(timeout: 60).toArray(), [1, 2, 3])
  }

  func testTheMainSchedulerKeepsTime() throws {
    let timer = Observable<Int>.timer(
      .milliseconds(1), period: .milliseconds(1), scheduler: MainScheduler.instance)
    XCTAssertEqual(try timer.take(3).toBlocking(timeout: 60).toArray(), [0, 1, 2])
  }

  func testItWaitsForAnotherThreadToo() throws {
    let background = SerialDispatchQueueScheduler(qos: .default)
    let timer = Observable<Int>.timer(.milliseconds(1), scheduler: background)
    XCTAssertEqual(try timer.toBlocking().toArray(), [0])
  }

  func testItDoesNotWaitLongerThanAllowed() {
    XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: 0.01).first()) { error in
      XCTAssertEqual(error as? RxError, .timeout)
    }
  }

  func testAnElementThatArrivesWhileATimerWaitsIsNotDelayed() throws {
    let background = SerialDispatchQueueScheduler(qos: .default)
    let inner = Lock<Result<[Int], any Error>?>(nil)
    // As in a callback of the main queue; another timer keeps its run loop asleep.
    let timer = Timer(timeInterval: 300, repeats: true) { _ in }
    RunLoop.main.add(timer, forMode: .default)
    DispatchQueue.main.async {
      let source = Observable<Int>.timer(.milliseconds(1), scheduler: background)
      let result = Result { try source.toBlocking(timeout: 120).toArray() }
      inner.withLock { $0 = result }
    }
    let start = ContinuousClock.now
    while inner.withLock({ $0 == nil }) { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01)) }
    timer.invalidate()
    XCTAssertEqual(try inner.withLock { $0 }?.get(), [0])
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(60))
  }

  func testSequencesThatAreSubscribedOnTheMainQueueRunWhileASubscriptionWaits() {
    var elements: Result<[Int], any Error>?
    let subscription = Observable.of(1).subscribe(onNext: { _ in
      let timer = Observable<Int>.timer(.milliseconds(1), scheduler: MainScheduler.instance)
      let inner = timer.flatMap { _ in Observable.of(1, 2) }
      elements = Result { try inner.toBlocking(timeout: 60).toArray() }
    })
    subscription.dispose()
    XCTAssertEqual(try elements?.get(), [1, 2])
  }

  func testTheMainThreadPassesItsCheckWhileItWorksForAnotherQueue() {
    DispatchQueue(label: "elsewhere").sync {
      XCTAssertTrue(Thread.isMainThread)
      MainScheduler.ensureRunningOnMainThread()
    }
  }
}

@Suite("toBlocking inside a block of the main queue", .timeLimit(.minutes(5)))
struct MainQueueBlockingTests {
  @Test("it waits for other threads")
  @MainActor func otherThread() throws {
    let background = SerialDispatchQueueScheduler(qos: .default)
    let timer = Observable<Int>.timer(.milliseconds(1), scheduler: background)
    #expect(try timer.toBlocking(timeout: 60).toArray() == [0])
  }

  @Test("it does not wait longer than allowed for the main queue that it blocks")
  @MainActor func mainQueue() {
    #expect(throws: RxError.timeout) {
      try Observable.just(1, scheduler: MainScheduler.asyncInstance).toBlocking(timeout: 0.01).first()
    }
  }
}
