import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("The delay of a hedged request")
struct HedgeDelayTests {
  /// A scheduler whose actions the test runs, also those that were cancelled.
  private final class StubbornScheduler: DelayScheduler {
    let uptimeNow = Lock(Duration.zero)
    let delays = Lock<[Duration]>([])
    let actions = Lock<[@Sendable () -> Void]>([])

    var now: Date { Date(timeIntervalSince1970: 0) }
    var uptime: Duration { uptimeNow.withLock { $0 } }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
      delays.withLock { $0.append(delay) }
      actions.withLock { $0.append(action) }
      return CancellableToken {}
    }
  }

  @Test("a wait for a place stops the delays of the outer hedges, too, and its end starts them again")
  func outer() {
    let (time, log) = (ManualDelayScheduler(), Log())
    let outer = HedgeDelay(5, scheduler: time, within: nil)
    let inner = HedgeDelay(3, scheduler: time, within: outer)
    outer.start { log("outer") }
    inner.start { log("inner") }
    inner.pause()
    time.advance(by: .seconds(10))
    #expect(log.all.isEmpty)
    inner.resume()
    time.advance(by: .seconds(3))
    #expect(log.all == ["inner"])
    time.advance(by: .seconds(2))
    #expect(log.all == ["inner", "outer"])
    withExtendedLifetime((inner, outer)) {}
  }

  @Test("the beginning moves with the waits for a place, also during one")
  func beginning() {
    let time = ManualDelayScheduler()
    let delay = HedgeDelay(5, scheduler: time, within: nil)
    let start = delay.began
    time.advance(by: .seconds(1))
    #expect(delay.began == start)
    delay.pause()
    #expect(delay.isPaused)
    time.advance(by: .seconds(2))
    #expect(delay.began == start + 2)
    delay.resume()
    #expect(!delay.isPaused)
    time.advance(by: .seconds(4))
    #expect(delay.began == start + 2)
  }

  @Test("of two waits that overlap, the whole time counts, from the beginning of the first one")
  func overlappingWaits() {
    let (time, log) = (ManualDelayScheduler(), Log())
    let delay = HedgeDelay(5, scheduler: time, within: nil)
    delay.start { log("over") }
    let start = delay.began
    time.advance(by: .seconds(1))
    delay.pause()
    time.advance(by: .seconds(2))
    delay.pause()
    time.advance(by: .seconds(1))
    delay.resume()
    #expect(delay.isPaused)
    time.advance(by: .seconds(2))
    delay.resume()
    #expect(delay.began == start + 5)
    // Four seconds are left, because one had passed before the first wait.
    time.advance(by: .seconds(3))
    #expect(log.all.isEmpty)
    time.advance(by: .seconds(1))
    #expect(log.all == ["over"])
    withExtendedLifetime(delay) {}
  }

  @Test("a timer from before a wait has no effect, even if it fires")
  func formerTimer() {
    let (scheduler, log) = (StubbornScheduler(), Log())
    let delay = HedgeDelay(5, scheduler: scheduler, within: nil)
    delay.start { log("second copy") }
    delay.pause()
    delay.resume()
    let actions = scheduler.actions.withLock { $0 }
    #expect(actions.count == 2)
    actions[0]()
    #expect(log.all.isEmpty)
    actions[1]()
    #expect(log.all == ["second copy"])
    withExtendedLifetime(delay) {}
  }

  @Test("a delay that is cancelled before it starts has no timer, and one that runs releases its action")
  func cancelled() {
    let time = ManualDelayScheduler()
    let early = HedgeDelay(5, scheduler: time, within: nil)
    early.cancel()
    early.start {}
    #expect(time.pendingCount == 0)
    let late = HedgeDelay(5, scheduler: time, within: nil)
    weak var kept: Log?
    do {
      let held = Log()
      kept = held
      late.start { held("second copy") }
    }
    #expect(time.pendingCount == 1)
    #expect(kept != nil)
    late.cancel()
    #expect(time.pendingCount == 0)
    #expect(kept == nil)
    withExtendedLifetime((early, late)) {}
  }

  @Test("if the clock is set back, the rest of the delay is not longer than the delay")
  func clockSetBack() {
    let scheduler = StubbornScheduler()
    let delay = HedgeDelay(5, scheduler: scheduler, within: nil)
    scheduler.uptimeNow.withLock { $0 = .seconds(-100) }
    delay.start {}
    #expect(scheduler.delays.withLock { $0 } == [.seconds(5)])
  }

  @Test("the delay of a hedge does not make a request another one, but its observer does")
  func equality() {
    final class SilentObserver: TransferObserver {
      func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool { false }
      func deliver() {}
    }
    let plain = TransportRequest(url: "http://h/")
    var request = plain
    request.hedgeDelay = HedgeDelay(1, scheduler: ManualDelayScheduler(), within: nil)
    #expect(request == plain)
    #expect(Set([request, plain]).count == 1)
    let observers = (0..<2).map { _ in SilentObserver() }
    request.observer = observers[0]
    #expect(request != plain)
    var copy = request
    #expect(copy == request)
    copy.observer = observers[1]
    #expect(copy != request)
  }
}
