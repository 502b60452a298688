import Foundation

/// The program as a process of its own, as somebody would run it.
struct Running {
  struct End {
    var status: Int32
    var output: String
    var errors: String
    /// The lines of the output, without those that are empty.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The program is built beside the tests.
  static var program: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
      "typeahead")
  }

  /// Runs it to its end with bytes on standard input.
  static func run(
    _ arguments: [String], input: some Sequence<UInt8> = "".utf8, environment: [String: String] = [:]
  ) async throws -> End {
    let process = Process()
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = program
    process.arguments = arguments
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try await process.runToEnd {
      // A few lines fit into a pipe, so nobody has to read while the program runs.
      try stdin.fileHandleForWriting.write(contentsOf: Data(input))
      try stdin.fileHandleForWriting.close()
    }
    return End(
      status: process.terminationStatus, output: stdout.text, errors: stderr.text)
  }
}

extension Process {
  /// Starts the process, does something, and suspends until the process has ended.
  ///
  /// Not even the cancellation of a test cuts that short: a process that still runs has no status to ask for.
  func runToEnd(_ meanwhile: () throws -> Void) async throws {
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    terminationHandler = { _ in continuation.finish() }
    try run()
    try meanwhile()
    await Task { for await _ in ends {} }.value
  }
}

extension Pipe {
  fileprivate var text: String {
    String(decoding: (try? fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
  }
}
