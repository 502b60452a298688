import Foundation
import Locking
import Testing

/// Runs many random cases; `FUZZ_CASES` says how many of each kind, `FUZZ_SEED` with which the first begins.
///
/// The seed of a case that fails is in the failure's message, that of one that stops the process on standard error: run
/// that one alone with `FUZZ_CASES=1 FUZZ_SEED=…`.
enum Fuzz {
  static let cases = number("FUZZ_CASES") ?? 500
  static let seed = number("FUZZ_SEED") ?? 0x5EED

  static func run(_ kind: String, _ test: (inout SplitMix64) throws -> Void) {
    CrashNote.install()
    for index in 0..<cases {
      let seed = seed &+ index
      CrashNote.write("\nThe process ended while a case of \(kind) ran, perhaps by it: FUZZ_SEED=\(seed)\n")
      var random = SplitMix64(seed: seed)
      do {
        try test(&random)
      } catch {
        Issue.record("\(kind), FUZZ_SEED=\(seed): \(error)")
        return
      }
    }
    CrashNote.write("")
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}

/// What a case did that it should not have.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless a condition holds.
func demand(_ condition: Bool, _ words: @autoclosure () -> String) throws {
  if !condition { throw FuzzFailure(words()) }
}

/// A text that is printed where the process is stopped by a signal.
private enum CrashNote {
  private static let limit = 256
  // Plain memory, since a handler of signals may take no lock: who is just fuzzing writes, one after the other, and a text that
  // is torn in a crash does no harm.
  private static let writing = Lock(())
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<UInt8>.allocate(capacity: limit)
  nonisolated(unsafe) private static let length = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  /// The handlers there were, by signal.
  nonisolated(unsafe) private static let former = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
  private static let installed: Void = {
    length.initialize(to: 0)
    text.initialize(repeating: 0, count: limit)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
      sigaction(number, nil, former + Int(number))
      signal(number) { number in
        _ = Foundation.write(2, CrashNote.text, CrashNote.length.pointee)
        // Who was to be told before, such as the printer of backtraces, is told once this has returned.
        sigaction(number, CrashNote.former + Int(number), nil)
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
