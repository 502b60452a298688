import Foundation

/// The levels of messages, with the numbers of `syslog`.
package enum LogLevel: Int {
  case error = 3
  case warning
  case notice
  case info
}

/// Writes a message to standard error.
///
/// If standard error is systemd's journal, each line begins with its level (`<4>`), which the journal removes.
package func log(_ level: LogLevel, _ text: String, _ program: String) {
  let start = (isJournal ? "<\(level.rawValue)>" : "") + "\(program): "
  // Each line gets the level, so that a text from a server cannot choose its own.
  let lines = text.split(whereSeparator: \.isNewline).map { "\(start)\($0)\n" }.joined()
  try? FileHandle.standardError.write(contentsOf: Data(lines.utf8))
}

/// Writes an error message to standard error.
package func printError(_ text: String, _ program: String) { log(.error, text, program) }

/// `true` if standard error is the stream that systemd has connected to the journal; a redirected one is not.
private let isJournal: Bool = {
  var status = stat()
  guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0
  else { return false }
  return stream == "\(status.st_dev):\(status.st_ino)"
}()
