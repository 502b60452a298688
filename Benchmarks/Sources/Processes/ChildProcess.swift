import Foundation

/// A child process that runs this program with other arguments, to measure its memory and threads separately.
///
/// Parent and child exchange lines of text.
public final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// Starts the program, or the one at another path.
  public init(_ arguments: [String], program: String? = nil) throws {
    process.executableURL =
      program.map { URL(filePath: $0) } ?? URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// The process identifier, for `ProcessResources`.
  public var identifier: Int32 { process.processIdentifier }

  /// Sends a line to the child's standard input.
  public func send(_ line: String) {
    input.fileHandleForWriting.write(Data("\(line)\n".utf8))
  }

  /// Returns the words of the next line of the child's standard output; none if the child has ended.
  public func receive() -> [String] {
    while true {
      if let end = unread.firstIndex(of: 0x0A) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread = Data(unread[(end + 1)...])
        return line.split(separator: " ").map(String.init)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return [] }
      unread.append(more)
    }
  }

  /// Terminates the child and waits for its end.
  public func terminate() {
    process.terminate()
    process.waitUntilExit()
  }

  /// Sends a line to the parent process.
  public static func sendToParent(_ words: Any...) {
    print(words.map { "\($0)" }.joined(separator: " "))
    fflush(nil)
  }
}
