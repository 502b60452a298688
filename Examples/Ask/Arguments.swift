import Foundation
import ReactiveNetworkExamples

/// The options on the command line.
struct Arguments {
  /// What to ask: the words of the command line; `nil` for the script or the lines of standard input.
  var question: String?
  /// `true` if the questions come from standard input instead of the script.
  var isInteractive = Console.isTerminal(STDIN_FILENO)
  var api = ModelAPI.openAI
  /// The address of the API; `nil` for the built-in server.
  var url: URL?
  var model: String?
  /// The seconds without a sign of life after which a connection counts as lost.
  var patience: TimeInterval = 60

  static let help = """
    Chats with a language model, and prints its answers word by word.

    usage: swift run ask [--script | --interactive] [--api openai|anthropic]
                         [--url URL] [--model NAME] [--patience SECONDS] [QUESTION]

      QUESTION            ask this, print the answer and end
      --script            ask a list of questions of the built-in server, which
                          drops a connection, is overloaded once, and sees one
                          answer cancelled (default, unless a terminal is the
                          input)
      --interactive       read the questions from standard input, one a line
                          (default on a terminal, and with --url)
      --api NAME          the form of requests and events: openai (default), which
                          many other servers have too, or anthropic
      --url URL           the address of the API, such as https://api.openai.com/v1
                          or https://api.anthropic.com/v1 (default: a server in this
                          process, without a model)
      --model NAME        the model to ask
      --patience SECONDS  a connection that is silent for so long is lost (60)
      --help              show this text

    With --url, the key is read from OPENAI_API_KEY or ANTHROPIC_API_KEY, and never
    printed. Answers go to standard output, everything else to standard error.

    If a connection is lost, the program asks for the rest of the answer, at most
    three times. Ctrl-C cancels the answer; at the prompt it ends the program, as do
    /quit and the end of the input.

    Exit status: 0 on success; 1 if an answer was lost or refused, if the built-in
    server's counts differ from the program's, or after another error; 2 for invalid
    arguments; 128 plus the signal's number if a signal ended the program.
    """

  init(_ reader: inout ArgumentReader) throws(ArgumentError) {
    var words: [String] = []
    while let argument = try reader.next() {
      switch argument {
      case "--help", "-h": throw .help
      case "--script": isInteractive = false
      case "--interactive": isInteractive = true
      case "--api":
        let name = try reader.value(of: argument, "openai or anthropic")
        guard let named = ModelAPI(rawValue: name) else {
          throw .invalid("\"\(name)\" is not openai or anthropic")
        }
        api = named
      case "--url":
        url = try ArgumentReader.url(reader.value(of: argument, "a URL"))
        isInteractive = true
      case "--model": model = try reader.value(of: argument, "a name")
      case "--patience": patience = try reader.seconds(of: argument)
      case let word where !word.hasPrefix("-"): words.append(word)
      default: throw .invalid("unknown argument \"\(argument)\"")
      }
    }
    if !words.isEmpty { question = words.joined(separator: " ") }
  }
}
