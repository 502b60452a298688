import Dispatch
import Foundation
import Synchronization

/// A semaphore for a blocked thread.
///
/// While the main thread waits, it runs its run loop, so that work on the main queue runs. Inside a block of
/// the main queue this has no effect, because no other block of that queue can run until the block ends.
final class RunLoopSemaphore: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isMain = Thread.isMainThread
  private let isMainQueueServed = Atomic(false)

  func signal() {
    semaphore.signal()
    // Wakes the run loop, which otherwise sleeps until it has work.
    if isMain { DispatchQueue.main.async {} }
  }

  /// Waits, and returns `true` if the signal came in time; `nil` waits without a limit.
  func wait(seconds: Double?) -> Bool {
    // Dispatch traps on a span whose nanoseconds overflow; 1e9 seconds are thirty years.
    let seconds = min(max(seconds ?? .infinity, 0), 1e9)
    guard isMain else { return semaphore.wait(timeout: .now() + seconds) == .success }
    return runMainLoop(until: .now() + seconds)
  }

  private func runMainLoop(until deadline: DispatchTime) -> Bool {
    DispatchQueue.main.async { self.isMainQueueServed.store(true, ordering: .relaxed) }
    while semaphore.wait(timeout: .now() + pause) == .timedOut {
      let now = DispatchTime.now()
      guard now < deadline else { return false }
      // Computed each time because the clock may be set meanwhile.
      let seconds = Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9
      // Polls until the main queue has been served, because the signal cannot wake a run loop inside a block of
      // that queue.
      let limit = isMainQueueServed.load(ordering: .relaxed) ? seconds : min(seconds, 0.01)
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: limit))
    }
    return true
  }

  // Avoids a busy loop if the run loop cannot serve the main queue and therefore returns at once each time.
  private var pause: DispatchTimeInterval {
    isMainQueueServed.load(ordering: .relaxed) ? .nanoseconds(0) : .milliseconds(1)
  }
}
