import ReactiveNetworkExamples
import Foundation

/// The options on the command line.
struct Arguments {
  /// `true` if the lines come from standard input instead of the script.
  var isInteractive = Console.isTerminal(STDIN_FILENO)
  /// The server to talk to; `nil` for the built-in one.
  var url: URL?
  /// `true` if people do not repeat a line that was not confirmed.
  var sendsOnce = false
  /// The seconds to wait for a line before it counts as lost.
  var patience: TimeInterval = 60

  static let help = """
    Lets two people talk over WebSockets whose server drops connections.

    usage: swift run chat [--script | --interactive] [--send-once]
                          [--patience SECONDS]
           swift run chat --url URL

      --script            play a dialogue (default, unless a terminal is the input)
      --interactive       read what the first person says from standard input
                          (default on a terminal); the second person answers
      --send-once         do not repeat lines that were not confirmed, to lose some
      --patience SECONDS  give up if a line has not arrived after this time (60)
      --url URL           talk to a server of your own, such as ws://localhost:8080:
                          send each line of standard input as a text message, and
                          print the server's messages
      --help              show this text

    The line /quit, the end of the input or Ctrl-C ends the chat.

    Exit status: 0 on success; 1 if a line was lost or arrived twice, if the
    server's counts differ from the program's, or after an error; 2 for invalid
    arguments; 128 plus the signal's number if a signal ended the program.
    """

  init(_ reader: inout ArgumentReader) throws(ArgumentError) {
    while let argument = try reader.next() {
      switch argument {
      case "--help", "-h": throw .help
      case "--script": isInteractive = false
      case "--interactive": isInteractive = true
      case "--send-once": sendsOnce = true
      case "--patience": patience = try reader.seconds(of: argument)
      case "--url":
        url = try ArgumentReader.url(
          reader.value(of: argument, "a URL"), schemes: ["ws", "wss", "http", "https"])
      default: throw .invalid("unknown argument \"\(argument)\"")
      }
    }
  }
}
