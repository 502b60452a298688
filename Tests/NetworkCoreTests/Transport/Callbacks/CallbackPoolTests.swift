import Dispatch
import Foundation
import Locking
import NetworkCore
import Testing

@Suite("The threads that call callbacks", .timeLimit(.minutes(5)))
struct CallbackPoolTests {
  private let pool = CallbackPool()

  /// Suspends until a callback that is handed over now has been called.
  private func flush() async {
    await withCheckedContinuation { done in pool.call { done.resume() } }
  }

  @Test("a batch is called in its order, one callback at a time, and its array is empty again")
  func batches() async {
    let numbers = Lock<[Int]>([])
    let isBusy = Lock(false)
    let overlaps = Lock(0)
    for first in stride(from: 0, to: 10_000, by: 100) {
      var batch = (first..<first + 100).map { number -> CallbackPool.Callback in
        {
          let wasBusy = isBusy.withLock { state in
            defer { state = true }
            return state
          }
          if wasBusy { overlaps.withLock { $0 += 1 } }
          numbers.withLock { $0.append(number) }
          isBusy.withLock { $0 = false }
        }
      }
      pool.call(&batch)
      #expect(batch.isEmpty)
    }
    await flush()
    // A thread that is kept from running may be replaced, and its last callback end later.
    await suspendUntil { numbers.withLock { $0.count } == 10_000 }
    #expect(numbers.withLock { $0 }.count == 10_000)
    if overlaps.withLock({ $0 }) == 0 { #expect(numbers.withLock { $0 } == Array(0..<10_000)) }
  }

  @Test("those behind one that blocks are called by another thread, and that one's thread ends with it")
  func blocked() async {
    let gate = DispatchSemaphore(value: 0)
    let over = DispatchSemaphore(value: 0)
    var batch: [CallbackPool.Callback] = [
      {
        gate.wait()
        over.signal()
      }
    ]
    let behind = Lock(0)
    for _ in 0..<100 { batch.append { behind.withLock { $0 += 1 } } }
    pool.call(&batch)
    await flush()
    #expect(behind.withLock { $0 } == 100)
    gate.signal()
    await wait(for: over)
  }

  @Test("a callback that prepares to wait is replaced, until so many wait that the next one is refused")
  func waits() async {
    let gate = DispatchSemaphore(value: 0)
    let over = DispatchSemaphore(value: 0)
    let refusals = Lock<[WaitingError]>([])
    for _ in 0..<CallbackPool.threadLimit {
      pool.call {
        do throws(WaitingError) {
          try TransportThread.prepareToWait()
          // What follows in the same callback is no further wait.
          try TransportThread.prepareToWait()
          gate.wait()
        } catch {
          refusals.withLock { $0.append(error) }
        }
        over.signal()
      }
    }
    await wait(for: over)
    await flush()
    for _ in 0..<CallbackPool.threadLimit { gate.signal() }
    for _ in 1..<CallbackPool.threadLimit { await wait(for: over) }
    // On a crowded machine a thread may be replaced before it runs, and be counted until it does: then one more is refused.
    #expect(Set(refusals.withLock { $0 }) == [.tooManyWait(limit: CallbackPool.threadLimit)])
    #expect(refusals.withLock { $0.count } < CallbackPool.threadLimit / 4)
    // The remaining thread continues.
    await flush()
  }

  @Test("a pool that goes away takes its threads along")
  func released() async {
    weak var watched: CallbackPool?
    await {
      let pool = CallbackPool()
      watched = pool
      await withCheckedContinuation { done in pool.call { done.resume() } }
    }()
    await suspendUntil { watched == nil }
    #expect(watched == nil)
  }

  private func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { done in
      DispatchQueue(label: "waiting").async {
        semaphore.wait()
        done.resume()
      }
    }
  }
}
