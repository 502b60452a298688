import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("ConcurrencyLimit", .timeLimit(.minutes(5)))
struct ConcurrencyLimitTests {
  private let time = ManualDelayScheduler()
  private let log = Log()
  private let permits = Permits()

  /// The permits of the calls, by name.
  private final class Permits: Sendable {
    private let permits = Lock([String: ConcurrencyLimit.Permit]())

    func keep(_ permit: ConcurrencyLimit.Permit, of name: String) { permits.withLock { $0[name] = permit } }

    func release(_ name: String) { permits.withLock { $0.removeValue(forKey: name) }?.release() }
  }

  @discardableResult
  private func acquire(
    _ limit: ConcurrencyLimit, _ name: String, priority: Int = 0, longestWait: Duration? = nil
  ) -> any Cancellable {
    let (log, permits) = (log, permits)
    return limit.acquire(priority: priority, longestWait: longestWait) { result in
      switch result {
      case .success(let permit):
        permits.keep(permit, of: name)
        log(name)
      case .failure(let error): log("\(name) \(error)")
      }
    }
  }

  /// Releases the permit of a call, and lets the next call start.
  private func release(_ name: String) {
    permits.release(name)
    time.advance(by: .zero)
  }

  @Test("calls beyond the limit wait, and start in order")
  func order() {
    let limit = ConcurrencyLimit(2, scheduler: time)
    for name in ["a", "b", "c", "d"] { acquire(limit, name) }
    #expect(log.all == ["a", "b"])
    #expect(limit.runningCount == 2)
    #expect(limit.waitingCount == 2)
    release("b")
    release("a")
    #expect(log.all == ["a", "b", "c", "d"])
    release("c")
    release("d")
    #expect(limit.runningCount == 0)
  }

  @Test("a call of a higher priority starts first")
  func priority() {
    let limit = ConcurrencyLimit(1, scheduler: time)
    for (name, priority) in [("a", 0), ("b", 1), ("c", 5), ("d", 1), ("e", -1)] {
      acquire(limit, name, priority: priority)
    }
    for name in ["a", "c", "b", "d", "e"] { release(name) }
    #expect(log.all == ["a", "c", "b", "d", "e"])
  }

  @Test("a full queue refuses the last call of the lowest priority")
  func overflow() {
    let limit = ConcurrencyLimit(1, maxWaiting: 2, scheduler: time)
    for (name, priority) in [("a", 0), ("b", 1), ("c", 1), ("d", 1), ("e", 2)] {
      acquire(limit, name, priority: priority)
    }
    let full = TransferError.queueFull(maxWaiting: 2)
    #expect(log.all == ["a", "d \(full)", "c \(full)"])
    release("a")
    release("e")
    #expect(log.all.suffix(2) == ["e", "b"])
  }

  @Test("without a queue, a call runs at once or is refused", arguments: [0, -1])
  func noQueue(maxWaiting: Int) {
    let limit = ConcurrencyLimit(0, maxWaiting: maxWaiting, scheduler: time)
    acquire(limit, "a")
    acquire(limit, "b", priority: 9)
    #expect(log.all == ["a", "b \(TransferError.queueFull(maxWaiting: 0))"])
  }

  @Test("a call that has waited too long leaves the queue and fails")
  func longestWait() {
    let limit = ConcurrencyLimit(1, scheduler: time)
    acquire(limit, "a")
    acquire(limit, "b", longestWait: .seconds(5))
    acquire(limit, "c", longestWait: .seconds(9))
    acquire(limit, "d")
    time.advance(by: .milliseconds(4900))
    #expect(log.all == ["a"])
    time.advance(by: .milliseconds(100))
    #expect(log.all == ["a", "b \(TransferError.waitedTooLong(.seconds(5)))"])
    release("a")
    #expect(log.all.last == "c")
    // A running call has no timer.
    #expect(time.pendingCount == 0)
    #expect(limit.waitingCount == 1)
  }

  @Test("a negative longest wait counts as 0, and a huge one as no limit; a place at least exists")
  func unusualWaits() {
    let limit = ConcurrencyLimit(-3, maxWaiting: 2, newestFirstAbove: -1, scheduler: time)
    acquire(limit, "a")
    acquire(limit, "b", longestWait: .seconds(-1))
    time.advance(by: .zero)
    #expect(log.all == ["a", "b \(TransferError.waitedTooLong(.zero))"])
    acquire(limit, "c", longestWait: .seconds(Int64.max / 4))
    time.advance(by: .seconds(1e9))
    #expect(limit.waitingCount == 1)
    #expect(ConcurrencyLimit(1, maxWaiting: -1).maxWaiting == 0)
  }

  @Test("a call that names no time waits for half a minute")
  func standardWait() {
    let limit = ConcurrencyLimit(1, scheduler: time)
    acquire(limit, "a")
    let log = log
    _ = limit.acquire { result in
      if case .failure(let error) = result { log("\(error)") }
    }
    time.advance(by: .milliseconds(29900))
    #expect(limit.waitingCount == 1)
    time.advance(by: .milliseconds(100))
    #expect(log.all == ["a", "\(TransferError.waitedTooLong(.seconds(30)))"])
  }

  @Test("under overload, the newest call starts first, and a full queue refuses the oldest")
  func newestFirst() {
    let limit = ConcurrencyLimit(1, maxWaiting: 3, newestFirstAbove: 1, scheduler: time)
    acquire(limit, "low", priority: -1)
    for name in ["a", "b", "c", "d"] { acquire(limit, name) }
    acquire(limit, "late", priority: -1)
    let full = TransferError.queueFull(maxWaiting: 3)
    #expect(log.all == ["low", "a \(full)", "late \(full)"])
    for name in ["low", "d", "c", "b"] { release(name) }
    #expect(log.all.suffix(3) == ["d", "c", "b"])
  }

  @Test(
    "an eighth of a full queue is kept for calls below the highest priority",
    arguments: [(4, 1), (11, 1), (12, 2)])
  func keptPlaces(maxWaiting: Int, kept: Int) {
    let limit = ConcurrencyLimit(1, maxWaiting: maxWaiting, scheduler: time)
    let full = TransferError.queueFull(maxWaiting: maxWaiting)
    acquire(limit, "running")
    for number in 1...maxWaiting { acquire(limit, "low \(number)") }
    for number in 1...maxWaiting { acquire(limit, "high \(number)", priority: 1) }
    // The newest of the low ones made room, and then the new high ones were refused.
    let evicted = (kept + 1...maxWaiting).reversed().map { "low \($0) \(full)" }
    let refused = (maxWaiting - kept + 1...maxWaiting).map { "high \($0) \(full)" }
    #expect(log.all == ["running"] + evicted + refused)
    acquire(limit, "another low")
    #expect(log.all.last == "another low \(full)")
    #expect(limit.waitingCount == maxWaiting)
  }

  @Test("under lasting overload with calls of a high priority, each eighth start is that of a low one")
  func lastingOverload() {
    let limit = ConcurrencyLimit(1, maxWaiting: 4, scheduler: time)
    acquire(limit, "0", priority: 1)
    for number in 1...160 {
      acquire(limit, "low", priority: 0)
      acquire(limit, "\(2 * number)", priority: 1)
      acquire(limit, "\(2 * number + 1)", priority: 1)
      // The one that runs.
      let running = log.all.last { !$0.contains("queueFull") } ?? ""
      release(running)
    }
    #expect(log.all.count { $0 == "low" } == 20)
  }

  @Test("a low priority does not wait forever: each eighth start is that of the oldest call")
  func starvation() {
    let limit = ConcurrencyLimit(1, scheduler: time)
    acquire(limit, "running")
    acquire(limit, "low")
    let urgent = (1...16).map { "\($0)" }
    for name in urgent { acquire(limit, name, priority: 1) }
    for name in ["running"] + urgent.prefix(7) + ["low"] + urgent.dropFirst(7) { release(name) }
    #expect(log.all == ["running"] + urgent.prefix(7) + ["low"] + urgent.dropFirst(7))
  }

  @Test("a cancelled call leaves the queue, and its timer is cancelled")
  func cancel() {
    let limit = ConcurrencyLimit(1, scheduler: time)
    acquire(limit, "a")
    let token = acquire(limit, "b", longestWait: .seconds(5))
    acquire(limit, "c")
    token.cancel()
    #expect(time.pendingCount == 0)
    release("a")
    #expect(log.all == ["a", "c"])
  }

  @Test("a call that leaves a full queue has no timer")
  func timerOfEvicted() {
    let limit = ConcurrencyLimit(1, maxWaiting: 1, scheduler: time)
    acquire(limit, "a")
    acquire(limit, "b", longestWait: .seconds(50))
    acquire(limit, "c", priority: 1)
    #expect(log.all == ["a", "b \(TransferError.queueFull(maxWaiting: 1))"])
    #expect(time.pendingCount == 0)
  }

  @Test("a call that starts while its timer is being set has no timer")
  func startsEarly() {
    let scheduler = ActingScheduler()
    let limit = ConcurrencyLimit(1, scheduler: scheduler)
    acquire(limit, "a")
    scheduler.action.withLock {
      $0 = { [permits, time = scheduler.time] in
        permits.release("a")
        time.advance(by: .zero)
      }
    }
    acquire(limit, "b", longestWait: .seconds(50))
    #expect(log.all == ["a", "b"])
    #expect(scheduler.time.pendingCount == 0)
  }

  @Test("100,000 waiting calls of several priorities are cancelled in their order, and no other call is")
  func manyCancelled() {
    let limit = ConcurrencyLimit(1, maxWaiting: .max, scheduler: time)
    acquire(limit, "running")
    let tokens = (0..<100_000).map { acquire(limit, "cancelled", priority: $0 % 3) }
    acquire(limit, "last")
    for token in tokens { token.cancel() }
    #expect(limit.waitingCount == 1)
    release("running")
    #expect(log.all == ["running", "last"])
  }

  @Test("the token of a call that has started removes no later call from the queue")
  func lateCancel() {
    let limit = ConcurrencyLimit(1, scheduler: time)
    acquire(limit, "a")
    let token = acquire(limit, "b")
    release("a")
    acquire(limit, "c")
    token.cancel()
    #expect(limit.waitingCount == 1)
    release("b")
    #expect(log.all == ["a", "b", "c"])
  }

  @Test("a permit is passed only once, and also when it is dropped")
  func release() {
    let limit = ConcurrencyLimit(1, scheduler: time)
    let kept = Lock<ConcurrencyLimit.Permit?>(nil)
    _ = limit.acquire { result in kept.withLock { $0 = try? result.get() } }
    let permit = kept.withLock { $0.take() }
    permit?.release()
    permit?.release()
    #expect(limit.runningCount == 0)
    // The closure does not keep the permit alive.
    _ = limit.acquire { _ in }
    #expect(limit.runningCount == 0)
  }

  @Test("a long queue of calls that end at once does not overflow the stack")
  func stack() {
    let limit = ConcurrencyLimit(1, maxWaiting: 10_000, scheduler: time)
    let count = Lock(0)
    acquire(limit, "a")
    for _ in 0..<10_000 {
      _ = limit.acquire { result in
        count.withLock { $0 += 1 }
        (try? result.get())?.release()
      }
    }
    release("a")
    #expect(count.withLock { $0 } == 10_000)
    #expect(limit.runningCount == 0)
  }

  @Test("a long queue of calls that drop their permits does not overflow the stack")
  func droppedPermits() {
    let limit = ConcurrencyLimit(1, maxWaiting: 10_000, scheduler: time)
    let count = Lock(0)
    acquire(limit, "a")
    for _ in 0..<10_000 { _ = limit.acquire { _ in count.withLock { $0 += 1 } } }
    release("a")
    #expect(count.withLock { $0 } == 10_000)
    #expect(limit.runningCount == 0)
  }

  @Test("a call whose start waits for a call that starts later does not delay it")
  func startThatWaits() async {
    let limit = ConcurrencyLimit(2)
    for name in ["a", "b"] { acquire(limit, name) }
    let hasStarted = DispatchSemaphore(value: 0)
    let isInTime = await withCheckedContinuation { done in
      _ = limit.acquire { _ in
        done.resume(returning: hasStarted.wait(timeout: .now() + TestTimeouts.longestWait) == .success)
      }
      _ = limit.acquire { _ in hasStarted.signal() }
      Thread.detachNewThread { [permits] in
        permits.release("a")
        permits.release("b")
      }
    }
    #expect(isInTime)
  }

  @Test("a call can wait within its start for a place that it has released itself")
  func releaseWithinStart() async {
    let limit = ConcurrencyLimit(1)
    acquire(limit, "a")
    let hasStarted = DispatchSemaphore(value: 0)
    let isInTime = await withCheckedContinuation { done in
      _ = limit.acquire { result in
        (try? result.get())?.release()
        let later = limit.acquire { _ in hasStarted.signal() }
        done.resume(returning: hasStarted.wait(timeout: .now() + TestTimeouts.longestWait) == .success)
        later.cancel()
      }
      Thread.detachNewThread { [permits] in permits.release("a") }
    }
    #expect(isInTime)
  }

  @Test("a call that is cancelled just before it starts does not start, and its place is free at once")
  func cancelBeforeStart() {
    let limit = ConcurrencyLimit(1, maxWaiting: 1, scheduler: time)
    acquire(limit, "a")
    let token = acquire(limit, "b")
    permits.release("a")
    // "b" has a place, so that one more call may wait.
    #expect((limit.runningCount, limit.waitingCount) == (1, 0))
    acquire(limit, "c")
    #expect(limit.waitingCount == 1)
    token.cancel()
    #expect((limit.runningCount, limit.waitingCount) == (1, 0))
    time.advance(by: .zero)
    #expect(log.all == ["a", "c"])
    acquire(limit, "d").cancel()
    let last = acquire(limit, "e")
    permits.release("c")
    last.cancel()
    #expect((limit.runningCount, limit.waitingCount) == (0, 0))
    acquire(limit, "f")
    time.advance(by: .zero)
    #expect(log.all == ["a", "c", "f"])
  }

  @Test("errors contain their limits")
  func texts() {
    #expect(TransferError.queueFull(maxWaiting: 3).localizedDescription.contains("3 others come first"))
    #expect(TransferError.waitedTooLong(.milliseconds(2500)).localizedDescription.contains("within 2.5 s"))
  }

  @Test("calls from many threads never exceed the limit, and each gets one result")
  func threads() async {
    let limit = ConcurrencyLimit(3, maxWaiting: 4)
    let counts = Lock((running: 0, most: 0, started: 0, refused: 0))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for round in 0..<2_000 {
        _ = limit.acquire(priority: round % 3) { result in
          guard case .success(let permit) = result else { return counts.withLock { $0.refused += 1 } }
          counts.withLock { counts in
            counts.started += 1
            counts.running += 1
            counts.most = max(counts.most, counts.running)
          }
          counts.withLock { $0.running -= 1 }
          permit.release()
        }
      }
    }
    await suspendUntil { counts.withLock { $0.started + $0.refused } == 16_000 && limit.runningCount == 0 }
    #expect(counts.withLock { $0.started + $0.refused } == 16_000)
    #expect(counts.withLock { $0.most } <= 3)
    #expect(limit.runningCount == 0)
    #expect(limit.waitingCount == 0)
  }

  @Test("a call that is cancelled while it receives its permit runs or is removed, and no permit is lost")
  func racingCancel() async {
    let limit = ConcurrencyLimit(1, maxWaiting: 16)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for _ in 0..<2_000 {
        let token = limit.acquire { result in (try? result.get())?.release() }
        if thread % 2 == 0 { token.cancel() }
      }
    }
    await suspendUntil { limit.runningCount == 0 }
    #expect(limit.runningCount == 0)
    #expect(limit.waitingCount == 0)
  }
}
