import Foundation

/// Runs a program: parses its arguments, and exits with the status that it returns.
///
/// Exits with status 0 after the help, 1 after an error, and 2 for invalid arguments.
package func launch<Arguments>(
  _ name: String, help: String, _ read: (inout ArgumentReader) throws(ArgumentError) -> Arguments,
  run: (Arguments) throws -> Int32
) -> Never {
  // If the reader closes the output, a write must fail instead of ending the process before it cleans up.
  signal(SIGPIPE, SIG_IGN)
  do throws(ArgumentError) {
    var reader = ArgumentReader(CommandLine.arguments.dropFirst())
    let arguments = try read(&reader)
    do {
      exit(try run(arguments))
    } catch {
      printError("\(error.localizedDescription)", name)
      exit(1)
    }
  } catch {
    switch error {
    case .help:
      exit((try? output(help + "\n")) == nil ? 1 : 0)
    case .invalid(let reason):
      printError("\(reason); see \(name) --help", name)
      exit(2)
    }
  }
}
