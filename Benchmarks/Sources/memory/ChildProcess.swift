import Foundation

/// A child process that runs this program with a task; it ends when its input ends.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Returns the next line that the child prints; `nil` at the end.
  func readLine() -> String? {
    var line = Data()
    while let byte = try? output.fileHandleForReading.read(upToCount: 1), let byte = byte.first {
      if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
