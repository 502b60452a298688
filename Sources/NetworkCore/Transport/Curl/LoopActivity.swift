internal import CCurl
internal import Foundation
internal import Locking
internal import Synchronization

/// Whether the thread of a loop is at work, so that a process that exits can wait until it is not.
///
/// OpenSSL gives up what it has as the process exits, while other threads still run: one that is in libcurl at that moment
/// would crash, and the process end with a signal in place of its status.
final class LoopActivity: Sendable {
  private let isAtWork = Atomic(false)
  private let thread = Atomic<UInt>(0)
  private let forks = ccurl_forks()

  /// The loops that there are, and whether the process exits.
  private static let all = Lock([ObjectIdentifier: LoopActivity]())
  private static let isExiting = Atomic(false)
  /// Registered behind OpenSSL's own handler, which came with libcurl, and so called before it.
  private static let registration: Void = { atexit { LoopActivity.waitForAll() } }()

  /// Begins; to be called on the loop's thread, as everything else is.
  func begin() {
    _ = Self.registration
    thread.store(currentThread, ordering: .relaxed)
    Self.all.withLock { $0[ObjectIdentifier(self)] = self }
    goOn()
  }

  /// Whether the calling thread is the loop's.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThread }

  /// Goes to work; does not return where the process exits.
  func goOn() {
    isAtWork.store(true, ordering: .sequentiallyConsistent)
    guard Self.isExiting.load(ordering: .sequentiallyConsistent) else { return }
    rest()
    while true { pause() }
  }

  /// Rests: nothing of libcurl's is called until `goOn()`.
  func rest() {
    isAtWork.store(false, ordering: .releasing)
  }

  func end() {
    rest()
    _ = Self.all.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// Waits until no loop is at work, but for one whose handler is what ends the process: it is not in libcurl.
  ///
  /// For up to a second: a handler that waits for the thread that exits must not hold it up for ever.
  private static func waitForAll() {
    isExiting.store(true, ordering: .sequentiallyConsistent)
    // The threads of those that were made before a fork are not here.
    let loops = all.withLock { $0.values.filter { $0.forks == ccurl_forks() } }
    for _ in 0..<5_000 {
      let isOver = loops.allSatisfy { loop in
        !loop.isAtWork.load(ordering: .sequentiallyConsistent)
          || loop.isCurrent
      }
      if isOver { return }
      usleep(200)
    }
  }
}

/// A number that tells threads apart.
private var currentThread: UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}
