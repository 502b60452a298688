import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
import Testing

@Suite("The threads for callbacks", .timeLimit(.minutes(5)))
struct CallbackPoolTests {
  private let pool = CallbackPool()

  /// Suspends until a callback that is submitted now has been called.
  private func flush() async {
    await withCheckedContinuation { done in pool.call { done.resume() } }
  }

  @Test("the callbacks of a batch are called in order, one at a time, and the array is emptied")
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
    // If a thread does not get to run, it may be replaced, and its last callback ends later.
    await suspendUntil { numbers.withLock { $0.count } == 10_000 }
    #expect(numbers.withLock { $0 }.count == 10_000)
    if overlaps.withLock({ $0 }) == 0 { #expect(numbers.withLock { $0 } == Array(0..<10_000)) }
  }

  @Test("callbacks after a blocked one run on another thread, and the blocked thread ends afterwards")
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

  @Test("a callback that prepares to wait is replaced, until the limit of waiting callbacks is reached")
  func waits() async {
    let gate = DispatchSemaphore(value: 0)
    let over = DispatchSemaphore(value: 0)
    let refusals = Lock<[WaitingError]>([])
    for _ in 0..<CallbackPool.threadLimit {
      pool.call {
        do throws(WaitingError) {
          try TransportThread.prepareToWait()
          // A second call in the same callback does not count as another wait.
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
    // On a busy machine a thread may be replaced before it runs, and counts until it does: then one more is
    // refused.
    #expect(Set(refusals.withLock { $0 }) == [.tooManyWait(limit: CallbackPool.threadLimit)])
    #expect(refusals.withLock { $0.count } < CallbackPool.threadLimit / 4)
    // The remaining thread continues.
    await flush()
  }

  @Test("a released pool ends its threads")
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
