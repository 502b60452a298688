import Foundation

/// What the system says of a process (Linux: `/proc`).
public struct ProcessFacts: Sendable {
  /// Bytes of memory that are there.
  public let memory: Int
  /// How many threads it has.
  public let threads: Int
  /// How many files, sockets and the like it has open.
  public let descriptors: Int
  /// Seconds of processor time since the start, of the threads that are left.
  public let processorTime: Double

  /// Looks at a process, at this one unless told otherwise.
  public init(of process: Int32 = getpid()) {
    let folder = "/proc/\(process)"
    let pages = Self.words(of: "\(folder)/statm").dropFirst().first ?? 0
    memory = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    let tasks = Self.entries(of: "\(folder)/task")
    threads = tasks.count
    descriptors = Self.entries(of: "\(folder)/fd").count
    let nanoseconds = tasks.map { Self.words(of: "\(folder)/task/\($0)/schedstat").first ?? 0 }
    processorTime = Double(nanoseconds.reduce(0, +)) / 1e9
  }

  private static func words(of file: String) -> [Int] {
    let text = try? String(contentsOfFile: file, encoding: .utf8)
    return (text ?? "").split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
  }

  private static func entries(of folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}

extension ProcessFacts: CustomStringConvertible {
  /// All of it in one line.
  public var description: String {
    "\(descriptors) descriptors, \(threads) threads, "
      + String(format: "%.1f MiB", Double(memory) / 1_048_576)
  }
}
