package import Foundation

/// A command line that makes no sense, or one that asks for help.
package enum Rejection: Error, Equatable {
  case help
  case invalid(String)
}

/// The words of a command line, taken one after the other; `--name=value` counts as two.
package struct Words {
  private var rest: ArraySlice<String>
  /// What stood behind the equals sign of the option that was taken last.
  private var attached: (option: String, value: String)?

  package init(_ words: some Sequence<String>) {
    rest = Array(words)[...]
  }

  /// The next option or argument; `nil` at the end.
  package mutating func next() throws(Rejection) -> String? {
    if let attached { throw .invalid("\(attached.option) takes no value") }
    guard let word = rest.popFirst() else { return nil }
    guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return word }
    let option = String(word[..<equals])
    attached = (option, String(word[word.index(after: equals)...]))
    return option
  }

  /// What belongs to an option.
  package mutating func value(of option: String, _ what: String) throws(Rejection) -> String {
    defer { attached = nil }
    guard let value = attached?.value ?? rest.popFirst(), !value.isEmpty else {
      throw .invalid("\(option) needs \(what)")
    }
    return value
  }

  /// A whole number that belongs to an option.
  package mutating func count(of option: String, _ range: ClosedRange<Int>) throws(Rejection) -> Int {
    let what = "a number from \(range.lowerBound) to \(range.upperBound)"
    let value = try value(of: option, what)
    guard let count = Int(value), range.contains(count) else {
      throw .invalid("\"\(value)\" is not \(what)")
    }
    return count
  }

  /// A number of seconds that belongs to an option: up to a day, and above 0 unless said otherwise.
  package mutating func seconds(of option: String, orNone: Bool = false) throws(Rejection) -> TimeInterval {
    let what = "a number of seconds \(orNone ? "from 0" : "above 0") to 86400"
    let value = try value(of: option, what)
    guard let seconds = TimeInterval(value), (0...86_400).contains(seconds), orNone || seconds > 0 else {
      throw .invalid("\"\(value)\" is not \(what)")
    }
    return seconds
  }

  /// Reads a URL that can be requested.
  package static func url(_ word: String) throws(Rejection) -> URL {
    guard let url = URL(string: word), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false
    else { throw .invalid("\"\(word)\" is not an http or https URL") }
    return url
  }

  /// Refuses names of files of which two are the same.
  package static func refuseTwins(_ names: [String]) throws(Rejection) {
    let twins = Dictionary(grouping: names) { $0 }.filter { $1.count > 1 }
    if let name = twins.keys.min() { throw .invalid("two of the files are called \"\(name)\"") }
  }
}

/// Runs a program: reads its arguments, and exits with the status that it returns.
///
/// Status 0 after the help, 1 after an error, 2 for arguments that make no sense.
package func launch<Arguments>(
  _ name: String, help: String, _ read: (inout Words) throws(Rejection) -> Arguments,
  run: (Arguments) throws -> Int32
) -> Never {
  // Who reads the output may go away: an error, not the end of the process before it has tidied up.
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
