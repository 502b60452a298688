package import Foundation

/// The reason not to run the program: an invalid command line, or a request for help.
package enum ArgumentError: Error, Equatable {
  case help
  case invalid(String)
}

/// Reads the arguments of a command line one after another; `--name=value` counts as two.
package struct ArgumentReader {
  private var rest: ArraySlice<String>
  /// The text after the equals sign of the option that was taken last.
  private var attached: (option: String, value: String)?

  package init(_ arguments: some Sequence<String>) {
    rest = Array(arguments)[...]
  }

  /// Returns the next option or argument; `nil` at the end.
  package mutating func next() throws(ArgumentError) -> String? {
    if let attached { throw .invalid("\(attached.option) takes no value") }
    guard let argument = rest.popFirst() else { return nil }
    guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return argument }
    let option = String(argument[..<equals])
    attached = (option, String(argument[argument.index(after: equals)...]))
    return option
  }

  /// Returns the value of an option.
  package mutating func value(of option: String, _ what: String) throws(ArgumentError) -> String {
    defer { attached = nil }
    guard let value = attached?.value ?? rest.popFirst(), !value.isEmpty else {
      throw .invalid("\(option) needs \(what)")
    }
    return value
  }

  /// Returns the value of an option as an integer.
  package mutating func count(of option: String, _ range: ClosedRange<Int>) throws(ArgumentError) -> Int {
    let what = "a number from \(range.lowerBound) to \(range.upperBound)"
    let value = try value(of: option, what)
    guard let count = Int(value), range.contains(count) else {
      throw .invalid("\"\(value)\" is not \(what)")
    }
    return count
  }

  /// Returns the value of an option as a number of seconds: at most one day, and above 0 unless `allowsZero`
  /// is set.
  package mutating func seconds(of option: String, allowsZero: Bool = false) throws(ArgumentError)
    -> TimeInterval
  {
    let what = "a number of seconds \(allowsZero ? "from 0" : "above 0") to 86400"
    let value = try value(of: option, what)
    guard let seconds = TimeInterval(value), (0...86_400).contains(seconds), allowsZero || seconds > 0 else {
      throw .invalid("\"\(value)\" is not \(what)")
    }
    return seconds
  }

  /// Parses a URL with one of the schemes.
  package static func url(
    _ argument: String, schemes: [String] = ["http", "https"]
  ) throws(ArgumentError) -> URL {
    guard let url = URL(string: argument), let scheme = url.scheme?.lowercased(), schemes.contains(scheme),
      url.host?.isEmpty == false
    else { throw .invalid("\"\(argument)\" is not an \(schemes.joined(separator: " or ")) URL") }
    return url
  }

  /// Throws if two files have the same name.
  package static func rejectDuplicateNames(_ names: [String]) throws(ArgumentError) {
    let duplicates = Dictionary(grouping: names) { $0 }.filter { $1.count > 1 }
    if let name = duplicates.keys.min() { throw .invalid("two of the files are called \"\(name)\"") }
  }
}
