import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Synchronization
import Testing

@Suite("The threads for callbacks", .timeLimit(.minutes(5)))
struct CallbackPoolTests {
  private let pool = CallbackPool()

  /// Suspends until a callback that is submitted now has been called.
  private func flush() async {
    await withCheckedContinuation { done in pool.call { done.resume() } }
  }

  @Test("each callback of a batch is called once, and the array is emptied")
  func batches() async {
    let numbers = Lock<[Int]>([])
    for first in stride(from: 0, to: 10_000, by: 100) {
      var batch = (first..<first + 100).map { number in
        CallbackPool.Callback { numbers.withLock { $0.append(number) } }
      }
      pool.call(&batch)
      #expect(batch.isEmpty)
    }
    await flush()
    // A thread that was replaced may end its last callback later.
    await suspendUntil { numbers.withLock { $0.count } == 10_000 }
    #expect(numbers.withLock { $0 }.sorted() == Array(0..<10_000))
  }

  @Test("a callback that arrives while another one waits is called although that one then blocks")
  func callbackDuringWait() async {
    for _ in 0..<200 {
      let called = DispatchSemaphore(value: 0)
      let isCalled = await withCheckedContinuation { done in
        pool.call {
          try? TransportThread.wait { pool.call { called.signal() } }
          // Not announced, as in code that does not know of the pool.
          done.resume(returning: called.wait(timeout: .now() + 60) == .success)
        }
      }
      #expect(isCalled)
      if !isCalled { break }
    }
  }

  #if os(Linux)
    /// The processor time of the calling thread, in nanoseconds.
    private func processorTime() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    @Test("a callback that computes does not get more threads started")
    func computing() async {
      let running = Atomic(0)
      let peak = Atomic(0)
      var batch = (0..<30).map { _ in
        CallbackPool.Callback {
          peak.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
          let end = processorTime() + 40_000_000
          while processorTime() < end {}
          running.subtract(1, ordering: .relaxed)
        }
      }
      pool.call(&batch)
      await flush()
      await suspendUntil { running.load(ordering: .relaxed) == 0 }
      // A check may find the thread in a system call.
      #expect(peak.load(ordering: .relaxed) <= 3)
    }

    @Test("callbacks that compute after a wait do so one at a time")
    func computingAfterWaiting() async {
      let gate = DispatchSemaphore(value: 0)
      let waiting = Atomic(0)
      let running = Atomic(0)
      let peak = Atomic(0)
      let ended = Atomic(0)
      for _ in 0..<30 {
        pool.call {
          try? TransportThread.wait {
            waiting.add(1, ordering: .relaxed)
            gate.wait()
          }
          peak.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
          let end = processorTime() + 10_000_000
          while processorTime() < end {}
          running.subtract(1, ordering: .relaxed)
          ended.add(1, ordering: .relaxed)
        }
      }
      await suspendUntil { waiting.load(ordering: .relaxed) == 30 }
      for _ in 0..<30 { gate.signal() }
      await suspendUntil { ended.load(ordering: .relaxed) == 30 }
      // A check may find the thread in a system call.
      #expect(peak.load(ordering: .relaxed) <= 3)
      #expect(await suspendUntil { pool.status == (1, true) })
    }
  #endif

  @Test("a callback continues after its wait while another one blocks its thread")
  func resumed() async {
    let (gate, started, resumed, over) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
      DispatchSemaphore(value: 0)
    )
    pool.call {
      try? TransportThread.wait { gate.wait() }
      resumed.signal()
    }
    pool.call {
      started.signal()
      resumed.wait()
      over.signal()
    }
    await wait(for: started)
    gate.signal()
    await wait(for: over)
    #expect(await suspendUntil { pool.status == (1, true) })
  }

  @Test("the thread that sleeps ends when a callback continues after its wait")
  func resumedWhileSleeping() async {
    let gate = DispatchSemaphore(value: 0)
    pool.call { try? TransportThread.wait { gate.wait() } }
    await flush()
    #expect(await suspendUntil { pool.status == (2, true) })
    gate.signal()
    #expect(await suspendUntil { pool.status == (1, true) })
  }

  @Test("a callback that blocks delays the following ones for milliseconds only")
  func oftenBlocked() async {
    let gate = DispatchSemaphore(value: 0)
    let start = ContinuousClock.now
    for _ in 0..<30 { pool.call { gate.wait() } }
    await flush()
    // 30 delays of the two seconds after which a callback that computes is replaced take longer.
    #expect(ContinuousClock.now - start < .seconds(30))
    for _ in 0..<30 { gate.signal() }
    #expect(await suspendUntil { pool.status == (1, true) })
  }

  @Test("callbacks after a blocked one run on another thread, and the blocked thread ends afterwards")
  func blocked() async {
    let gate = DispatchSemaphore(value: 0)
    let over = DispatchSemaphore(value: 0)
    var batch = [
      CallbackPool.Callback {
        gate.wait()
        over.signal()
      }
    ]
    let behind = Lock(0)
    for _ in 0..<100 { batch.append(.init { behind.withLock { $0 += 1 } }) }
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
          // A wait within a wait does not count as another one.
          try TransportThread.wait { try? TransportThread.wait { gate.wait() } }
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
    #expect(refusals.withLock { $0 } == [.tooManyWait(limit: CallbackPool.threadLimit)])
    // The remaining thread continues.
    await flush()
  }

  #if os(Linux)
    @Test("a thread that waits for a processor before it calls a callback is not replaced")
    func busyMachine() async {
      await withCheckedContinuation { done in
        Thread.detachNewThread { [pool] in
          // SCHED_IDLE. The pool's thread inherits it, and runs only if no other thread needs the processor.
          var parameters = sched_param()
          sched_setscheduler(0, 5, &parameters)
          pool.call { done.resume() }
        }
      }
      await suspendUntil { pool.status.isIdle }
      let isOver = Atomic(false)
      let spinning = Atomic(0)
      let spinners = 4 * ProcessInfo.processInfo.activeProcessorCount
      for _ in 0..<spinners {
        Thread.detachNewThread {
          spinning.add(1, ordering: .relaxed)
          while !isOver.load(ordering: .relaxed) {}
        }
      }
      await suspendUntil { spinning.load(ordering: .relaxed) == spinners }
      // Two, because the pool checks for a blocked callback only if others wait behind it.
      let isCalling = Atomic(false)
      var batch: [CallbackPool.Callback] = [.init { isCalling.store(true, ordering: .relaxed) }, .init {}]
      pool.call(&batch)
      // Time for some twenty checks.
      let end = ContinuousClock.now + .milliseconds(100)
      var peak = 0
      while ContinuousClock.now < end, !isCalling.load(ordering: .relaxed) {
        peak = max(peak, pool.status.threads)
      }
      isOver.store(true, ordering: .relaxed)
      #expect(peak <= 1)
      await flush()
    }
  #endif

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
