import Foundation

/// The resources that a process uses, as the system reports them (Linux: `/proc`).
public struct ProcessResources: Sendable {
  /// The resident memory in bytes.
  public let memory: Int
  /// The number of threads.
  public let threads: Int
  /// The number of open descriptors: files, sockets and others.
  public let descriptors: Int
  /// The seconds of processor time since the start, summed over the threads that still exist.
  public let processorTime: Double

  /// Reads the figures of a process, by default of this one.
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

extension ProcessResources: CustomStringConvertible {
  /// All figures in one line.
  public var description: String {
    "\(descriptors) descriptors, \(threads) threads, "
      + String(format: "%.1f MiB", Double(memory) / 1_048_576)
  }
}
