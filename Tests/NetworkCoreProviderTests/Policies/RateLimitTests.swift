import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("RateLimit", .timeLimit(.minutes(5)))
struct RateLimitTests {
  private let time = ManualDelayScheduler(now: Date(timeIntervalSinceReferenceDate: 0))
  private let log = Log()

  @discardableResult
  private func acquire(
    _ limit: RateLimit, _ name: String, longestWait: Duration? = nil
  ) -> any Cancellable {
    let (log, time) = (log, time)
    return limit.acquire(longestWait: longestWait) { result in
      let seconds = time.now.timeIntervalSinceReferenceDate
      switch result {
      case .success: log("\(name) \(seconds)")
      case .failure(let error): log("\(name) \(seconds) \(error)")
      }
    }
  }

  @Test("in any span, at most the number of calls starts, in order")
  func spans() {
    let limit = RateLimit(2, per: .seconds(10), scheduler: time)
    acquire(limit, "a")
    time.advance(by: .seconds(6))
    for name in ["b", "c", "d", "e"] { acquire(limit, name) }
    #expect(limit.waitingCount == 3)
    time.advance(by: .seconds(30))
    #expect(log.all == ["a 0.0", "b 6.0", "c 10.0", "d 16.0", "e 20.0"])
    #expect(limit.freeCount == 2)
    #expect(time.pendingCount == 0)
  }

  @Test("a call that finds the queue full, or has waited too long, fails")
  func refusals() {
    let limit = RateLimit(0, per: .seconds(100), maxWaiting: 2, scheduler: time)
    acquire(limit, "a")
    acquire(limit, "b", longestWait: .seconds(5))
    let log = log
    _ = limit.acquire { log("c \($0)") }
    acquire(limit, "d")
    #expect(log.all.last == "d 0.0 \(TransferError.queueFull(maxWaiting: 2))")
    time.advance(by: .seconds(5))
    #expect(log.all.last == "b 5.0 \(TransferError.waitedTooLong(.seconds(5)))")
    time.advance(by: .milliseconds(24_900))
    #expect(limit.waitingCount == 1)
    time.advance(by: .milliseconds(100))
    #expect(log.all.last == "c \(Result<Void, TransferError>.failure(.waitedTooLong(.seconds(30))))")
  }

  @Test(
    "a negative span counts as 0, and then nothing waits",
    arguments: [.seconds(-1), .zero] as [Duration])
  func noSpan(span: Duration) {
    let limit = RateLimit(1, per: span, scheduler: time)
    for name in ["a", "b", "c"] { acquire(limit, name) }
    #expect(log.all == ["a 0.0", "b 0.0", "c 0.0"])
    #expect(limit.freeCount == 1)
    #expect(time.pendingCount == 0)
  }

  @Test("in an endless span, no call starts after the first ones; waits are bounded as documented")
  func endlessSpan() {
    let limit = RateLimit(1, per: .seconds(Int64.max / 4), scheduler: time)
    acquire(limit, "a")
    acquire(limit, "b", longestWait: .seconds(-1))
    time.advance(by: .zero)
    acquire(limit, "c", longestWait: nil)
    acquire(limit, "d", longestWait: .seconds(Int64.max / 4))
    time.advance(by: .seconds(1_000_000_000))
    #expect(log.all == ["a 0.0", "b 0.0 \(TransferError.waitedTooLong(.zero))"])
    #expect(limit.waitingCount == 2)
  }

  @Test("a hundred calls wait by default, and none if the number is negative")
  func queueLength() {
    #expect(RateLimit(1, per: .seconds(10), scheduler: time).maxWaiting == 100)
    let limit = RateLimit(1, per: .seconds(10), maxWaiting: -1, scheduler: time)
    #expect(limit.maxWaiting == 0)
    acquire(limit, "a")
    acquire(limit, "b")
    #expect(log.all == ["a 0.0", "b 0.0 \(TransferError.queueFull(maxWaiting: 0))"])
  }

  @Test("a cancelled call leaves the queue, and one that starts has no timer")
  func cancel() {
    let limit = RateLimit(1, per: .seconds(10), scheduler: time)
    acquire(limit, "a")
    let token = acquire(limit, "b", longestWait: .seconds(50))
    acquire(limit, "c", longestWait: .seconds(50))
    token.cancel()
    time.advance(by: .seconds(10))
    #expect(log.all == ["a 0.0", "c 10.0"])
    // The span of c.
    #expect(time.pendingCount == 1)
  }

  @Test("a limit that is released leaves no timer")
  func released() {
    acquire(RateLimit(1, per: .seconds(10), scheduler: time), "a")
    #expect(time.pendingCount == 0)
  }

  @Test("a limit that is released while calls wait lets them start")
  func releasedWhileWaiting() {
    do {
      let limit = RateLimit(1, per: .seconds(10), scheduler: time)
      acquire(limit, "a")
      acquire(limit, "b")
    }
    time.advance(by: .seconds(10))
    #expect(log.all == ["a 0.0", "b 10.0"])
    #expect(time.pendingCount == 0)
  }

  @Test("a call that starts while its timer is being set has no timer")
  func startsEarly() {
    let scheduler = ActingScheduler()
    let limit = RateLimit(1, per: .seconds(10), scheduler: scheduler)
    acquire(limit, "a")
    scheduler.action.withLock { $0 = { [time = scheduler.time] in time.advance(by: .seconds(10)) } }
    acquire(limit, "b", longestWait: .seconds(50))
    #expect(log.all == ["a 0.0", "b 0.0"])
    // The span of b.
    #expect(scheduler.time.pendingCount == 1)
    scheduler.time.advance(by: .seconds(10))
  }

  @Test("half a minute is the longest wait of a transport's request by default")
  func usualWait() {
    let wire = ScriptedTransport()
    let transport = wire.limitRate(RateLimit(1, per: .seconds(100), scheduler: time))
    let log = log
    let tokens = (0..<2).map { number in
      transport.start(TransportRequest(url: "http://host/")) { event in
        if case .finished(let error) = event { log("\(number) \(error.map { "\($0)" } ?? "end")") }
      }
    }
    time.advance(by: .milliseconds(29_500))
    #expect(log.all.isEmpty)
    time.advance(by: .milliseconds(500))
    #expect(log.all == ["1 \(TransferError.waitedTooLong(.seconds(30)))"])
    wire.finish()
    withExtendedLifetime(tokens) {}
  }

  @Test("transports share a limit, and a refused or cancelled request is not sent")
  func transports() {
    let limit = RateLimit(1, per: .seconds(10), maxWaiting: 2, scheduler: time)
    let wires = [ScriptedTransport(defaultHeaders: ["Name": "value"]), ScriptedTransport()]
    let log = log
    let tokens = (0..<4).map { number in
      wires[number % 2].limitRate(limit, longestWait: .seconds(15))
        .start(TransportRequest(url: "http://host/\(number)")) { event in
          if case .finished(let error) = event { log("\(number) \(error.map { "\($0)" } ?? "end")") }
        }
    }
    #expect(wires[0].limitRate(limit).defaultHeaders == ["Name": "value"])
    time.advance(by: .zero)
    #expect(log.all == ["3 \(TransferError.queueFull(maxWaiting: 2))"])
    #expect(wires.map(\.transfers.count) == [1, 0])
    wires[0].transfers[0].respond()
    time.advance(by: .seconds(10))
    #expect(wires.map(\.transfers.count) == [1, 1])
    tokens[1].cancel()
    #expect(wires[1].transfers[0].isCancelled)
    time.advance(by: .seconds(5))
    #expect(log.all.suffix(2) == ["0 end", "2 \(TransferError.waitedTooLong(.seconds(15)))"])
    wires[1].transfers[0].send(.finished(.cancelled))
    tokens[2].cancel()
    #expect(log.all.count == 4)
  }
}
