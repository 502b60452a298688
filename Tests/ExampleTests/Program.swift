import ChildProcess
import Dispatch
import Foundation

/// A program of the package as a process of its own, as somebody would run it.
struct Program {
  struct End {
    /// The exit status; that of a signal is its negative.
    var status: CInt
    var output: String
    var errors: String
    /// The lines of the output, without those that are empty.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The program is built beside the tests.
  let url: URL

  init(_ name: String) {
    url = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
      name)
  }

  /// Runs it to its end with bytes on standard input.
  ///
  /// `meanwhile` is called while it runs, with the process and what that writes.
  func run(
    _ arguments: [String], input: some Sequence<UInt8> = "".utf8, environment: [String: String] = [:],
    meanwhile: @escaping @Sendable (pid_t, FileHandle) throws -> Void = { _, _ in }
  ) async throws -> End {
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    let ends = [stdin.fileHandleForReading, stdout.fileHandleForWriting, stderr.fileHandleForWriting]
    let process = try ChildProcess(
      url.path, arguments, environment: environment, input: .descriptor(ends[0].fileDescriptor),
      output: .descriptor(ends[1].fileDescriptor), errors: .descriptor(ends[2].fileDescriptor))
    // The program alone has them now, so that its end is seen at the others.
    for end in ends { try end.close() }
    var output = ""
    let status = try await process.end {
      // A few lines fit into a pipe, so nobody has to read while the program waits for them.
      try stdin.fileHandleForWriting.write(contentsOf: Data(input))
      try stdin.fileHandleForWriting.close()
      let reader = stdout.fileHandleForReading
      output = try await apart {
        try meanwhile(process.id, reader)
        return reader.text
      }
    }
    return End(status: status, output: output, errors: stderr.fileHandleForReading.text)
  }
}

/// Does what may block, for other tests want the threads that this one runs on.
func apart<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
  }
}

extension ChildProcess {
  /// Does something, suspends until the process has ended, and returns its status; that of a signal is its negative.
  ///
  /// Not even the cancellation of a test cuts that short: nobody else takes the status.
  func end(after meanwhile: () async throws -> Void) async throws -> CInt {
    // A program that does not end would hold up the tests for good.
    let guardian = DispatchSource.makeTimerSource()
    guardian.setEventHandler { kill(id, SIGKILL) }
    guardian.schedule(deadline: .now() + .seconds(240))
    guardian.resume()
    defer { guardian.cancel() }
    do {
      try await meanwhile()
    } catch {
      kill(id, SIGTERM)
      _ = try await apart(wait)
      throw error
    }
    return try await apart(wait)
  }

}

extension FileHandle {
  /// What comes until the end.
  fileprivate var text: String { String(decoding: (try? readToEnd()) ?? Data(), as: UTF8.self) }

  /// Reads until a text has come, or the end has.
  @discardableResult
  func read(until text: String) -> String {
    var seen = ""
    while !seen.contains(text) {
      let data = availableData
      if data.isEmpty { break }
      seen += String(decoding: data, as: UTF8.self)
    }
    return seen
  }
}
