import Foundation

/// A failure in words for the user.
package struct Failure: LocalizedError {
  package let errorDescription: String?

  package init(_ description: String) { errorDescription = description }
}

/// Writes text to standard output at once; fails where nobody reads it any more.
package func output(_ text: String) throws {
  guard !text.isEmpty else { return }
  do {
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  } catch {
    throw Failure("nobody reads the output any more")
  }
}

/// Writes a line to standard error.
package func complain(_ text: String, _ program: String) {
  try? FileHandle.standardError.write(contentsOf: Data("\(program): \(text)\n".utf8))
}
