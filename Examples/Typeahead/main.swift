import Foundation

// A reader that goes away must not end the program before it has restored the terminal.
signal(SIGPIPE, SIG_IGN)

do throws(Arguments.Rejection) {
  let arguments = try Arguments(CommandLine.arguments.dropFirst())
  do {
    exit(try Program(arguments: arguments).run())
  } catch {
    complain("\(error)")
    exit(1)
  }
} catch {
  switch error {
  case .help:
    print(Arguments.help)
    exit(0)
  case .invalid(let reason):
    complain("\(reason); see typeahead --help")
    exit(2)
  }
}
