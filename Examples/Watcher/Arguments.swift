import ReactiveNetworkExamples
import Foundation

/// The options on the command line.
struct Arguments {
  /// The services; empty for those of the built-in server.
  var urls: [URL] = []
  var interval: TimeInterval = 0.2
  /// The file of the configuration; `nil` for none.
  var file: String?
  /// The number of results to take from each service; `nil` for no limit.
  var rounds: Int?
  /// The file for a picture of the requests; `nil` for none.
  var timeline: String?

  static let help = """
    Polls several services, and writes a line of JSON for each result.

    usage: swift run watcher [--once | --rounds N] [--interval SECONDS]
                             [--timeline FILE] [--config FILE | URL …]

      URL …               the services (default: a server in this process, one of
                          whose services fails from time to time)
      --interval SECONDS  the time from a result to the next request (0.2; 10 with
                          URLs)
      --config FILE       read the services and the interval from a file of JSON, such as
                          {"services": ["https://example.com/health"], "interval": 30};
                          read it again on SIGHUP, unless the rounds are limited
      --rounds N          end after this number of results from each service (5; no
                          limit with URLs)
      --timeline FILE     draw the newest requests on a time axis (SVG)
      --once              the same as --rounds 1

    A request that fails for a transient reason is retried up to four times, after
    increasing waits. Ctrl-C or SIGTERM ends all requests at once. The program notifies
    systemd of its state if that has started it (Type=notify).

    Exit status: 0 on success, and after a signal; 1 if the last result of a service was
    an error, or a request was still in progress at the end, or if the picture could not
    be written; 2 for invalid arguments and files.
    """

  init(_ reader: inout ArgumentReader) throws(ArgumentError) {
    var interval: TimeInterval?
    while let argument = try reader.next() {
      switch argument {
      case "--help", "-h": throw .help
      case "--once": rounds = 1
      case "--rounds": rounds = try reader.count(of: argument, 1...1_000_000_000)
      case "--config": file = try reader.value(of: argument, "a file")
      case "--timeline": timeline = try reader.value(of: argument, "a file")
      case "--interval": interval = try reader.seconds(of: argument, allowsZero: true)
      case _ where argument.hasPrefix("-"): throw .invalid("unknown argument \"\(argument)\"")
      default: urls.append(try ArgumentReader.url(argument))
      }
    }
    if let file {
      guard urls.isEmpty, interval == nil else {
        throw .invalid("--config takes the place of URLs and --interval")
      }
      do {
        let configuration = try Configuration(file: file)
        (urls, self.interval) = (configuration.services, configuration.interval)
      } catch {
        throw .invalid("\(error.localizedDescription)")
      }
      return
    }
    self.interval = interval ?? (urls.isEmpty ? 0.2 : 10)
    if urls.isEmpty, rounds == nil { rounds = 5 }
  }
}
