import Foundation
import ReactiveNetworkLock
@testable import NetworkCoreTestSupport
import Testing

/// Runs many random cases; `FUZZ_CASES` is the number of cases of each kind, and `FUZZ_SEED` is the seed of
/// the first one.
///
/// The message of a failed case contains its seed; if a case stops the process, its seed is on standard
/// error. Run that case alone with `FUZZ_CASES=1 FUZZ_SEED=…`.
enum Fuzz {
  static let cases = number("FUZZ_CASES") ?? 500
  static let seed = number("FUZZ_SEED") ?? 0x5EED

  static func run(_ kind: String, _ test: (inout SplitMix64) throws -> Void) {
    CrashMessage.install()
    for index in 0..<cases {
      let seed = seed &+ index
      CrashMessage.write(
        "\nThe process stopped during a case of \(kind), which may be the cause: FUZZ_SEED=\(seed)\n")
      var random = SplitMix64(seed: seed)
      do {
        try test(&random)
      } catch {
        Issue.record("\(kind), FUZZ_SEED=\(seed): \(error)")
        return
      }
    }
    CrashMessage.write("")
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}

/// The unexpected behavior of a case.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless a condition holds.
func require(_ condition: Bool, _ words: @autoclosure () -> String) throws {
  if !condition { throw FuzzFailure(words()) }
}

/// A text that is printed if a signal stops the process.
private enum CrashMessage {
  private static let limit = 256
  // Plain memory, because a signal handler must not use a lock. Cases write to it one after another. A text
  // that is incomplete because of a crash does no harm.
  private static let writing = Lock(())
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<UInt8>.allocate(capacity: limit)
  nonisolated(unsafe) private static let length = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  /// The previous handlers by signal.
  nonisolated(unsafe) private static let former = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
  private static let installed: Void = {
    length.initialize(to: 0)
    text.initialize(repeating: 0, count: limit)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
      sigaction(number, nil, former + Int(number))
      signal(number) { number in
        _ = Foundation.write(2, CrashMessage.text, CrashMessage.length.pointee)
        // The previous handler, such as the printer of backtraces, is called after this one has returned.
        sigaction(number, CrashMessage.former + Int(number), nil)
        raise(number)
      }
    }
  }()

  static func install() { _ = installed }

  static func write(_ words: String) {
    let bytes = Array(words.utf8.prefix(limit))
    writing.withLock { _ in
      length.pointee = 0
      text.update(from: bytes, count: bytes.count)
      length.pointee = bytes.count
    }
  }
}
