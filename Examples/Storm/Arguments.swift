import ReactiveNetworkExamples

/// The options on the command line.
struct Arguments {
  var clients = 100
  var seconds = 12
  /// The file to draw the picture to.
  var timeline: String?

  static let help = """
    Shows how policies protect a failing service: five groups of clients send the same
    requests to five copies of a service that fails for a while. One group retries, one
    retries within a budget, one uses all policies, one also takes an earlier answer at
    once or in place of an error, and one isolates its breaker for the outage.

    Other clients have to wait meanwhile, without and with bounds: for the refresh of a
    token, which hangs in the outage; and to reconnect to a stream of events, whose
    server restarts and asks them to stay away for a minute.

    Short trials at the end show further policies, without and with each: a breaker for
    each origin, a limit of the rate that a transport and an operator share, priorities,
    a limit that adapts by AIMD instead of the gradient, retries of POSTs, which repeat
    only one that was refused a connection, a back-off that is longer than Retry-After,
    and polls with jitter.

    usage: swift run storm [--clients N] [--seconds N] [--timeline FILE]

      --clients N      the number of clients in each group, 1 to 1000 (100); each makes
                       one call a second
      --seconds N      the length of the run, 6 to 600 (12); the service fails in the
                       second third
      --timeline FILE  draw the requests of one client of each group as SVG

    The services run in this process, and all counts of requests come from their logs.
    A service handles a limited number of requests a second, so that a storm of retries
    makes all requests wait. One response in fifty is slow.

    Exit status: 0 on success; 1 if a server's log contradicts the clients, or shows
    more retries than their budget allows, or if the picture could not be written;
    2 for invalid arguments; 128 plus the signal's number if a signal ended the
    program (Ctrl-C: 130).
    """

  init(_ reader: inout ArgumentReader) throws(ArgumentError) {
    while let argument = try reader.next() {
      switch argument {
      case "--help", "-h": throw .help
      case "--clients": clients = try reader.count(of: argument, 1...1_000)
      case "--seconds": seconds = try reader.count(of: argument, 6...600)
      case "--timeline": timeline = try reader.value(of: argument, "a file")
      default: throw .invalid("unknown argument \"\(argument)\"")
      }
    }
  }
}
