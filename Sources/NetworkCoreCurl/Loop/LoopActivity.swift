internal import CNetworkCoreCurl
internal import Foundation
internal import ReactiveNetworkLock
internal import Synchronization

/// Whether the thread that runs a loop is active, so that an exiting process can wait until it is not.
///
/// OpenSSL frees its state when the process exits, while other threads still run. A thread that is inside
/// libcurl at that moment would crash, and the process would end with a signal instead of its status.
final class LoopActivity: Sendable {
  private let isActive = Atomic(false)
  private let thread = Atomic<UInt>(0)
  private let forkCount = ccurl_fork_count()

  /// All loops, and whether the process is exiting.
  private static let all = Lock([ObjectIdentifier: LoopActivity]())
  private static let isExiting = Atomic(false)

  /// Registers the loop before its first phase.
  func register() {
    // After OpenSSL's own handler, which was registered when libcurl was loaded, and therefore called before
    // it.
    ccurl_at_exit { LoopActivity.waitUntilInactive() }
    Self.all.withLock { $0[ObjectIdentifier(self)] = self }
  }

  /// Begins an active phase on the calling thread, which runs the loop until `leave()`.
  ///
  /// `leave()`, `suspend()`, `resume()` and `end()` must be called on that thread.
  func enter() {
    thread.store(currentThread, ordering: .relaxed)
    resume()
  }

  /// Ends an active phase: the calling thread no longer runs the loop.
  func leave() {
    thread.store(0, ordering: .relaxed)
    suspend()
  }

  /// Whether the calling thread runs the loop.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThread }

  /// Begins an active phase; does not return if the process is exiting.
  func resume() {
    isActive.store(true, ordering: .sequentiallyConsistent)
    guard Self.isExiting.load(ordering: .sequentiallyConsistent) else { return }
    suspend()
    while true { pause() }
  }

  /// Whether the calling thread runs any loop.
  static var isAnyCurrent: Bool { all.withLock { $0.values.contains(where: \.isCurrent) } }

  /// Ends an active phase: the loop does not call libcurl until `resume()`.
  func suspend() {
    isActive.store(false, ordering: .releasing)
  }

  func end() {
    leave()
    _ = Self.all.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// Waits until no loop is active, except for a loop whose handler exits the process, because that loop is
  /// not inside libcurl.
  ///
  /// Waits for up to a second: a handler that waits for the exiting thread must not block it forever.
  private static func waitUntilInactive() {
    isExiting.store(true, ordering: .sequentiallyConsistent)
    // The threads of loops that were created before a fork do not exist in this process.
    let loops = all.withLock { $0.values.filter { $0.forkCount == ccurl_fork_count() } }
    for _ in 0..<5_000 {
      let isOver = loops.allSatisfy { loop in
        !loop.isActive.load(ordering: .sequentiallyConsistent)
          || loop.isCurrent
      }
      if isOver { return }
      usleep(200)
    }
  }
}

/// A number that identifies the calling thread.
private var currentThread: UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}
