import Dispatch
import Foundation
import Locking

/// A program of the package as a process of its own, as somebody would run it.
struct Program {
  struct End {
    var status: Int32
    /// Whether it ended by itself and not by a signal.
    var exited: Bool
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
    let process = Process()
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = url
    process.arguments = arguments
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    let written = Lock("")
    try await process.runToEnd {
      // A few lines fit into a pipe, so nobody has to read while the program waits for them.
      try stdin.fileHandleForWriting.write(contentsOf: Data(input))
      try stdin.fileHandleForWriting.close()
      let (id, reader) = (process.processIdentifier, stdout.fileHandleForReading)
      // It may block, and other tests want the threads that this one runs on.
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              try meanwhile(id, reader)
              let rest = reader.text
              written.withLock { $0 = rest }
            })
        }
      }
    }
    return End(
      status: process.terminationStatus, exited: process.terminationReason == .exit,
      output: written.withLock { $0 }, errors: stderr.fileHandleForReading.text)
  }
}

extension Process {
  /// Starts the process, does something, and suspends until the process has ended.
  ///
  /// Not even the cancellation of a test cuts that short: a process that still runs has no status to ask for.
  func runToEnd(_ meanwhile: () async throws -> Void) async throws {
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    terminationHandler = { _ in continuation.finish() }
    try run()
    // A program that does not end would hold up the tests for good.
    let (id, guardian) = (processIdentifier, DispatchSource.makeTimerSource())
    guardian.setEventHandler { kill(id, SIGKILL) }
    guardian.schedule(deadline: .now() + .seconds(240))
    guardian.resume()
    defer { guardian.cancel() }
    do {
      try await meanwhile()
    } catch {
      terminate()
      await Task { for await _ in ends {} }.value
      throw error
    }
    await Task { for await _ in ends {} }.value
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
