import Foundation

/// This program once more, with other arguments: memory and threads of its own to look at, and lines to talk in.
public final class Worker {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// Starts the program.
  public init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// By which `ProcessFacts` finds it.
  public var identifier: Int32 { process.processIdentifier }

  /// Sends a line to its standard input.
  public func send(_ line: String) {
    input.fileHandleForWriting.write(Data("\(line)\n".utf8))
  }

  /// The words of the next line of its standard output; none when it has ended.
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

  /// Ends it and waits for that.
  public func end() {
    process.terminate()
    process.waitUntilExit()
  }

  /// Says a line to whoever started this process.
  public static func say(_ words: Any...) {
    print(words.map { "\($0)" }.joined(separator: " "))
    fflush(nil)
  }
}
