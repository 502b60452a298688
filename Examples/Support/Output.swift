package import Foundation

/// A failure with a description for the user.
package struct ProgramError: LocalizedError {
  package let errorDescription: String?

  package init(_ description: String) { errorDescription = description }
}

/// Writes text to standard output at once; throws if it cannot be written, or if the reader has closed the
/// output.
package func output(_ text: String, to file: FileHandle = .standardOutput) throws {
  guard !text.isEmpty else { return }
  do {
    try file.write(contentsOf: Data(text.utf8))
  } catch {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    let isUnread = [EPIPE, EBADF].map(Int.init).contains(cause?.code)
    throw ProgramError(
      isUnread
        ? "the output has been closed"
        : "the output cannot be written: \((cause ?? error as NSError).localizedDescription)")
  }
}

/// Writes text to standard output at once, on a thread that cannot report an error.
package func write(_ text: String) {
  do {
    try output(text)
  } catch {
    // The reader has closed the output, so the program quits cleanly, as it does when the terminal hangs up.
    kill(getpid(), SIGHUP)
  }
}
