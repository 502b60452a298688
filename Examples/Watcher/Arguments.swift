import Foundation

/// What the command line asks for.
struct Arguments {
  var urls: [URL] = []
  var interval: TimeInterval = 0.2
  /// How many answers to take from each source; `nil` for no end.
  var rounds: Int?

  enum Rejection: Error {
    case help
    case invalid(String)
  }

  static let help = """
    Asks several services again and again, and writes a line of JSON for each answer.

    usage: swift run watcher [--once | --rounds N] [--interval SECONDS] [URL …]

      URL …               what to watch; without any, a server in this process,
                          one of whose services fails now and then
      --interval SECONDS  the time from an answer to the next question (0.2, and 10 with URLs)
      --rounds N          end after so many answers of each (5, and no end with URLs)
      --once              the same as --rounds 1

    A request that fails for a reason that may pass is sent again, up to four
    times, after longer and longer waits. Ctrl-C or SIGTERM ends everything at once.

    Exit status: 0; 1 where the last answer of a service was an error, or a request
    was still in flight at the end; 2 for wrong arguments.
    """

  init(_ words: some Sequence<String>) throws(Rejection) {
    var words = Array(words)[...]
    var interval: TimeInterval?
    while let word = words.popFirst() {
      switch word {
      case "--help", "-h": throw .help
      case "--once": rounds = 1
      case "--rounds":
        guard let value = words.popFirst(), let count = Int(value), count > 0 else {
          throw .invalid("--rounds needs a number above 0")
        }
        rounds = count
      case "--interval":
        guard let value = words.popFirst(), let seconds = TimeInterval(value), (0...86_400).contains(seconds)
        else { throw .invalid("--interval needs a number of seconds, 86400 at most") }
        interval = seconds
      default:
        guard let url = URL(string: word), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false
        else { throw .invalid("\"\(word)\" is not an http or https URL") }
        urls.append(url)
      }
    }
    self.interval = interval ?? (urls.isEmpty ? 0.2 : 10)
    if urls.isEmpty, rounds == nil { rounds = 5 }
  }
}
