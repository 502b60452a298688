package import Foundation

/// The reason not to run the program: an invalid command line, or a request for help.
package enum Rejection: Error, Equatable {
  case help
  case invalid(String)
}

/// The words of a command line, taken one after another; `--name=value` counts as two.
package struct Words {
  private var rest: ArraySlice<String>
  /// The text after the equals sign of the option that was taken last.
  private var attached: (option: String, value: String)?

  package init(_ words: some Sequence<String>) {
    rest = Array(words)[...]
  }

  /// Returns the next option or argument; `nil` at the end.
  package mutating func next() throws(Rejection) -> String? {
    if let attached { throw .invalid("\(attached.option) takes no value") }
    guard let word = rest.popFirst() else { return nil }
    guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return word }
    let option = String(word[..<equals])
    attached = (option, String(word[word.index(after: equals)...]))
    return option
  }

  /// Returns the value of an option.
  package mutating func value(of option: String, _ what: String) throws(Rejection) -> String {
    defer { attached = nil }
    guard let value = attached?.value ?? rest.popFirst(), !value.isEmpty else {
      throw .invalid("\(option) needs \(what)")
    }
    return value
  }

  /// Returns the value of an option as an integer.
  package mutating func count(of option: String, _ range: ClosedRange<Int>) throws(Rejection) -> Int {
    let what = "a number from \(range.lowerBound) to \(range.upperBound)"
    let value = try value(of: option, what)
    guard let count = Int(value), range.contains(count) else {
      throw .invalid("\"\(value)\" is not \(what)")
    }
    return count
  }

  /// Returns the value of an option as a number of seconds: at most one day, and above 0 unless `orNone` is
  /// set.
  package mutating func seconds(of option: String, orNone: Bool = false) throws(Rejection) -> TimeInterval {
    let what = "a number of seconds \(orNone ? "from 0" : "above 0") to 86400"
    let value = try value(of: option, what)
    guard let seconds = TimeInterval(value), (0...86_400).contains(seconds), orNone || seconds > 0 else {
      throw .invalid("\"\(value)\" is not \(what)")
    }
    return seconds
  }

  /// Parses an HTTP or HTTPS URL.
  package static func url(_ word: String) throws(Rejection) -> URL {
    guard let url = URL(string: word), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false
    else { throw .invalid("\"\(word)\" is not an http or https URL") }
    return url
  }

  /// Throws if two files have the same name.
  package static func refuseTwins(_ names: [String]) throws(Rejection) {
    let twins = Dictionary(grouping: names) { $0 }.filter { $1.count > 1 }
    if let name = twins.keys.min() { throw .invalid("two of the files are called \"\(name)\"") }
  }
}

/// Runs a program: parses its arguments, and exits with the status that it returns.
///
/// Exits with status 0 after the help, 1 after an error, and 2 for invalid arguments.
package func launch<Arguments>(
  _ name: String, help: String, _ read: (inout Words) throws(Rejection) -> Arguments,
  run: (Arguments) throws -> Int32
) -> Never {
  // If the reader closes the output, a write must fail instead of ending the process before it cleans up.
  signal(SIGPIPE, SIG_IGN)
  do throws(Rejection) {
    var words = Words(CommandLine.arguments.dropFirst())
    let arguments = try read(&words)
    do {
      exit(try run(arguments))
    } catch {
      complain("\(error.localizedDescription)", name)
      exit(1)
    }
  } catch {
    switch error {
    case .help:
      exit((try? output(help + "\n")) == nil ? 1 : 0)
    case .invalid(let reason):
      complain("\(reason); see \(name) --help", name)
      exit(2)
    }
  }
}
