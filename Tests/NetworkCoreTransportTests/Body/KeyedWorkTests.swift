import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Blocking work with keys", .timeLimit(.minutes(5)))
struct KeyedWorkTests {
  private let work = BlockingWorkPool()
  private let callbacks = CallbackPool()

  /// Performs work for a key, and returns the result that its caller receives.
  private func result(_ key: UInt64, _ body: @escaping @Sendable () -> String) async -> String {
    await withCheckedContinuation { continuation in
      work.enqueue(
        key, body, ifOverdue: { "late" }, on: callbacks, then: { continuation.resume(returning: $0) })
    }
  }

  @Test("a blocked key blocks no other key, and delays its callers only briefly, until it continues")
  func held() async {
    let gate = DispatchSemaphore(value: 0)
    // More keys than processors.
    let keys = UInt64(0)..<20
    await withTaskGroup(of: String.self) { group in
      for key in keys {
        group.addTask {
          await result(key) {
            gate.wait()
            return "done"
          }
        }
      }
      #expect(await result(100) { "other" } == "other")
      for await heard in group { #expect(heard == "late") }
    }
    // Queued after work that is already late.
    #expect(await result(3) { "behind" } == "late")
    for _ in keys { gate.signal() }
    work.perform(keys) { _ in }
    #expect(await result(3) { "done" } == "done")
  }

  @Test(
    "the work of a key is done in the order of the calls, and on request before the call returns"
  )
  func order() {
    let log = Lock<[Int]>([])
    for number in 0..<100 { work.enqueue(1) { log.withLock { $0.append(number) } } }
    work.perform([1, 2]) { _ in log.withLock { $0.append(100) } }
    let numbers = log.withLock { $0 }
    #expect(numbers.filter { $0 < 100 } == Array(0..<100))
    #expect(numbers.filter { $0 == 100 }.count == 2)
    #expect(numbers.last == 100)
  }

  @Test("work that is added for a key while a caller performs its work is done afterwards")
  func addedMeanwhile() async {
    let log = Log()
    work.perform([1]) { [work] key in
      work.enqueue(key) { log("added") }
      log("performed")
    }
    #expect(await suspendUntil { log.all.count == 2 })
    #expect(log.all == ["performed", "added"])
  }

  @Test("two pieces of work of one key never run at a time")
  func exclusion() {
    let running = Lock((now: 0, most: 0))
    for _ in 0..<2_000 {
      work.enqueue(1) {
        running.withLock { running in
          running.now += 1
          running.most = max(running.most, running.now)
        }
        sched_yield()
        running.withLock { $0.now -= 1 }
      }
    }
    work.perform([1]) { _ in }
    #expect(running.withLock { $0.most } == 1)
  }
}
