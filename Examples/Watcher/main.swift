import Foundation
import Locking
import LoopbackServer
import ReactiveNetwork
import RxLite

let arguments: Arguments
do {
  arguments = try Arguments(CommandLine.arguments.dropFirst())
} catch .help {
  print(Arguments.help)
  exit(0)
} catch .invalid(let reason) {
  FileHandle.standardError.write(Data("watcher: \(reason); see --help\n".utf8))
  exit(2)
}

// The built-in services: one that answers, one that is slow, one that fails every other time.
let server = arguments.urls.isEmpty ? try LoopbackServer { _ in .json(#"{"queue": 3}"#) } : nil
server?.route("/weather") { _ in .json(#"{"degrees": 21}"#).delayed(by: .milliseconds(50)) }
let isBroken = Lock(false)
server?.route("/builds") { _ in
  isBroken.withLock { isBroken in
    isBroken.toggle()
    return isBroken
  } ? .status(503) : .json(#"{"green": true}"#)
}
let services =
  server.map { server in ["queue", "weather", "builds"].map { server.baseURL.appending(path: $0) } }
  ?? arguments.urls

let encoder = JSONEncoder()
encoder.dateEncodingStrategy = .iso8601
encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
// Who reads the lines may go away: an error, not the end of the process.
signal(SIGPIPE, SIG_IGN)

let watcher = Watcher()
var latest: [String: Report] = [:]
let end = watcher.reports(on: services, every: arguments.interval, rounds: arguments.rounds)
  .take(until: signals(SIGTERM, SIGINT))
  // One line after the other: the reports come from several requests at a time.
  .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "output"))
  .do(onNext: { report in
    latest[report.service] = report
    try FileHandle.standardOutput.write(contentsOf: encoder.encode(report) + Data("\n".utf8))
  })
  .toBlocking().materialize()

let inFlight = try watcher.activity.inFlight.toBlocking().first() ?? 0
if case .failed(_, let error) = end { FileHandle.standardError.write(Data("watcher: \(error)\n".utf8)) }
exit(inFlight == 0 && latest.values.allSatisfy { $0.error == nil } ? 0 : 1)
