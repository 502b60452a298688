import Foundation

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
