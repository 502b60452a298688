import Foundation

/// The resident memory of this process, as reported by Linux.
enum ResidentMemory {
  /// Returns the peak in KiB since the start or the last `resetPeak()`.
  static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let value = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw BenchmarkError(reason: "the system does not report the peak of the resident memory")
    }
    return value
  }

  /// Resets the peak to the current memory, and returns it.
  static func resetPeak() throws -> Int {
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    return try peak()
  }
}
