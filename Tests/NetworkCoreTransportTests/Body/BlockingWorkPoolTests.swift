import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

// One at a time, because each uses all threads of its pool, and together they would use most of the process's
// threads.
@Suite("Blocking work", .serialized, .timeLimit(.minutes(5)))
struct BlockingWorkPoolTests {
  private let work = BlockingWorkPool()

  /// Occupies all threads until the gate has been signalled once for each thread.
  private func fill(_ gate: DispatchSemaphore) {
    let running = DispatchGroup()
    for _ in 0..<BlockingWorkPool.threadLimit {
      running.enter()
      work.enqueue {
        running.leave()
        gate.wait()
      }
    }
    running.wait()
  }

  @Test("at most the limit of threads is used, and all work is done eventually")
  func limit() async {
    let running = Lock((now: 0, most: 0))
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let count = BlockingWorkPool.threadLimit * 3
    for _ in 0..<count {
      work.enqueue {
        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        arrived.yield()
        gate.wait()
        running.withLock { $0.now -= 1 }
      }
    }
    var number = 0
    for await _ in arrivals {
      number += 1
      // Each signal makes room for one more.
      if number >= BlockingWorkPool.threadLimit { gate.signal() }
      if number == count { break }
    }
    #expect(running.withLock { $0.most } == BlockingWorkPool.threadLimit)
    for _ in 1..<BlockingWorkPool.threadLimit { gate.signal() }
  }

  @Test("work that waits for a thread is done in the order of the calls")
  func order() async {
    let gate = DispatchSemaphore(value: 0)
    fill(gate)
    let log = Lock<[Int]>([])
    await withCheckedContinuation { done in
      for number in 0..<100 { work.enqueue { log.withLock { $0.append(number) } } }
      work.enqueue { done.resume() }
      #expect(log.withLock { $0 } == [])
      // Frees one thread, so that the order is visible.
      gate.signal()
    }
    #expect(log.withLock { $0 } == Array(0..<100))
    for _ in 1..<BlockingWorkPool.threadLimit { gate.signal() }
  }

  @Test("full pools do not take the threads of the process's dispatch queues")
  func severalPools() async {
    await #expect(processExitsWith: .success) {
      let gate = DispatchSemaphore(value: 0)
      let running = DispatchGroup()
      for _ in 0..<6 {
        let work = BlockingWorkPool()
        let block: @Sendable () -> Void = {
          running.leave()
          gate.wait()
        }
        for key in 0..<UInt64(BlockingWorkPool.threadLimit) {
          running.enter()
          // With a key or without one, the work takes a thread of the pool.
          if key.isMultiple(of: 2) { work.enqueue(block) } else { work.enqueue(key, block) }
        }
      }
      guard running.wait(timeout: .now() + 60) == .success else { exit(1) }
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue(label: "another").async { isDone.signal() }
      exit(isDone.wait(timeout: .now() + 60) == .success ? 0 : 2)
    }
  }

  @Test("work removed before its turn is released at once and not done")
  func removal() async {
    let gate = DispatchSemaphore(value: 0)
    fill(gate)
    let log = Lock<[Int]>([])
    weak var kept: Log?
    await withCheckedContinuation { done in
      let numbers = (0..<10).map { number in work.enqueue { log.withLock { $0.append(number) } } }
      for number in numbers where number != numbers[3] { work.remove(number) }
      let held = Log()
      kept = held
      let last = work.enqueue { held("done") }
      work.remove(last)
      work.enqueue { done.resume() }
      gate.signal()
    }
    #expect(kept == nil)
    #expect(log.withLock { $0 } == [3])
    // This work has already been done.
    work.remove(0)
    for _ in 1..<BlockingWorkPool.threadLimit { gate.signal() }
  }
}
