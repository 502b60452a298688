import ReactiveNetworkExamples
import Foundation

/// The options on the command line.
struct Arguments {
  /// `true` if keys come from the keyboard instead of the script.
  var isInteractive = false
  /// The service to search; `nil` for the built-in one.
  var baseURL: URL?
  /// The seconds without a response after which a request fails.
  var timeout: TimeInterval = 10
  /// The file for a picture of the session; `nil` for none.
  var timeline: String?

  static let help = """
    Searches a code host for repositories while you type.

    usage: swift run typeahead [--interactive] [--base-url URL] [--timeout SECONDS]
                                [--timeline FILE]

      --interactive      read the keyboard (default: play a typing script)
      --base-url URL     the service to search, such as https://api.github.com
                         (default: a server in this process that responds in 320 ms)
      --timeout SECONDS  end a request after this time without a response (10)
      --timeline FILE    draw the requests and keystrokes on a time axis (SVG)
      --help             show this text

    Keys: Backspace deletes, Ctrl-U clears, Esc, Ctrl-C or Ctrl-D quits.

    Exit status: 0 on success; 1 if the server's counts differ from the pipeline's,
    or if the program could not start or write the picture; 2 for invalid arguments;
    128 plus the signal's number if a signal ended the program.
    """

  init(_ reader: inout ArgumentReader) throws(ArgumentError) {
    while let argument = try reader.next() {
      switch argument {
      case "--help", "-h": throw .help
      case "--interactive": isInteractive = true
      case "--base-url": baseURL = try ArgumentReader.url(reader.value(of: argument, "a URL"))
      case "--timeout": timeout = try reader.seconds(of: argument)
      case "--timeline": timeline = try reader.value(of: argument, "a file")
      default: throw .invalid("unknown argument \"\(argument)\"")
      }
    }
  }
}
