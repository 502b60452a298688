import ReactiveNetworkChildProcess
import Dispatch
import Foundation

/// A program of this package, run in a separate process as a user would run it.
struct ExampleProgram {
  struct ProcessResult {
    /// The exit status; if a signal ended the process, the negative of its number.
    var status: CInt
    var output: String
    var errors: String
    /// The lines of the output, without empty ones.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The program's file, which is built beside the tests.
  let url: URL

  init(_ name: String) {
    url = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
      name)
  }

  /// Runs the program to its end with bytes on standard input.
  ///
  /// `meanwhile` is called while the program runs, with its process identifier and its standard output.
  func run(
    _ arguments: [String], input: some Sequence<UInt8> = "".utf8, environment: [String: String] = [:],
    meanwhile: @escaping @Sendable (pid_t, FileHandle) throws -> Void = { _, _ in }
  ) async throws -> ProcessResult {
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    let ends = [stdin.fileHandleForReading, stdout.fileHandleForWriting, stderr.fileHandleForWriting]
    let process = try ChildProcess(
      url.path, arguments, environment: environment, input: .descriptor(ends[0].fileDescriptor),
      output: .descriptor(ends[1].fileDescriptor), errors: .descriptor(ends[2].fileDescriptor))
    // Only the program may hold these ends of the pipes, so that the other ends show when it exits.
    for end in ends { try end.close() }
    var output = ""
    let status = try await process.waitForExit {
      // The input fits into the pipe's buffer, so this cannot block while the program waits for a reader.
      try stdin.fileHandleForWriting.write(contentsOf: Data(input))
      try stdin.fileHandleForWriting.close()
      let reader = stdout.fileHandleForReading
      output = try await onBlockingThread {
        try meanwhile(process.id, reader)
        return reader.text
      }
    }
    return ProcessResult(status: status, output: output, errors: stderr.fileHandleForReading.text)
  }
}

/// Runs blocking work on a thread of its own, because other tests need the threads of Swift's and Dispatch's
/// pools.
func onBlockingThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
  }
}

extension ChildProcess {
  /// Runs a closure, suspends until the process has ended, and returns its status; for a signal, the negative
  /// of its number.
  ///
  /// Waits for the process even if the test is cancelled, because only this call reaps the process.
  func waitForExit(after meanwhile: () async throws -> Void) async throws -> CInt {
    // A program that does not end would otherwise block the tests forever.
    let guardian = DispatchSource.makeTimerSource()
    guardian.setEventHandler { kill(id, SIGKILL) }
    guardian.schedule(deadline: .now() + .seconds(240))
    guardian.resume()
    defer { guardian.cancel() }
    do {
      try await meanwhile()
    } catch {
      kill(id, SIGTERM)
      _ = try await onBlockingThread(wait)
      throw error
    }
    return try await onBlockingThread(wait)
  }
}

extension FileHandle {
  /// The text up to the end.
  fileprivate var text: String { String(decoding: (try? readToEnd()) ?? Data(), as: UTF8.self) }

  /// Reads until the text occurs or the input ends.
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
