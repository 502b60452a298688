import Foundation

/// The resources of this process, if the system reports them (Linux).
enum ProcessFacts {
  /// The open sockets, pipes and files.
  static var descriptors: Int? { entries(of: "/proc/self/fd") }

  /// The threads; Swift's own pool may grow by one per core at any time.
  static var threads: Int? { entries(of: "/proc/self/task") }

  /// The memory in use, in KiB.
  static var residentMemory: Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  private static func entries(of directory: String) -> Int? {
    try? FileManager.default.contentsOfDirectory(atPath: directory).count
  }
}
