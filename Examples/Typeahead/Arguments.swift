import Foundation

/// What the command line asks for.
struct Arguments: Equatable {
  /// Whether keys come from the keyboard and not from the script.
  var isInteractive = false
  /// The service to search; `nil` for the built-in one.
  var baseURL: URL?
  /// The seconds without an answer after which a request is given up.
  var timeout: TimeInterval = 10
  /// The file for a picture of what happened; `nil` for none.
  var timeline: String?

  /// A command line that makes no sense, or one that asks for help.
  enum Rejection: Error, Equatable {
    case help
    case invalid(String)
  }

  static let help = """
    Searches a code host for repositories while you type.

    usage: swift run typeahead [--interactive] [--base-url URL] [--timeout SECONDS]
                                [--timeline FILE]

      --interactive      read the keyboard; without it a typing script is played
      --base-url URL     the service to search, such as https://api.github.com;
                         without it a server in this process answers, in 320 ms
      --timeout SECONDS  give a request up after so long without an answer (10)
      --timeline FILE    draw keystrokes, requests and answers on a time axis (SVG)
      --help             show this text

    Keys: Backspace, Ctrl-U clears, Esc, Ctrl-C or Ctrl-D quits.

    Exit status: 0; 1 where what the server saw disagrees with what the pipeline
    counted, nothing could be started or no picture be written; 2 for wrong
    arguments; 128 and the number of the signal that ended it.
    """

  init() {}

  /// Reads the arguments behind the program's name.
  init(_ words: some Sequence<String>) throws(Rejection) {
    var words = Array(words)[...]
    while var word = words.popFirst() {
      if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
        words = [String(word[word.index(after: equals)...])] + words
        word = String(word[..<equals])
        guard ["--base-url", "--timeout", "--timeline"].contains(word) else {
          throw .invalid("\(word) takes no value")
        }
      }
      switch word {
      case "--help", "-h": throw .help
      case "--interactive": isInteractive = true
      case "--base-url": baseURL = try Self.url(words.popFirst())
      case "--timeout": timeout = try Self.seconds(words.popFirst())
      case "--timeline":
        guard let path = words.popFirst(), !path.isEmpty else { throw .invalid("--timeline needs a file") }
        timeline = path
      default: throw .invalid("unknown argument \"\(word)\"")
      }
    }
  }

  private static func url(_ word: String?) throws(Rejection) -> URL {
    guard let word else { throw .invalid("--base-url needs a URL") }
    guard let url = URL(string: word), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false
    else { throw .invalid("\"\(word)\" is not an http or https URL") }
    return url
  }

  private static func seconds(_ word: String?) throws(Rejection) -> TimeInterval {
    guard let word else { throw .invalid("--timeout needs a number of seconds") }
    guard let seconds = TimeInterval(word), seconds > 0, seconds <= 86_400 else {
      throw .invalid("\"\(word)\" is not a number of seconds above 0")
    }
    return seconds
  }
}
