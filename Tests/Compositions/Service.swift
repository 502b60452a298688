import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetworkLock

/// The servers, transports and cache that all programs of a storm share.
final class Service: Sendable {
  private let records = ProgramRecords()
  let home: LoopbackServer
  let foreign: LoopbackServer
  /// With one loop and with two.
  let transports: [CurlTransport]
  let cache: HTTPCache

  init() throws {
    var options = LoopbackServer.Options()
    options.keptRequests = 0
    home = try LoopbackServer(options: options)
    foreign = try LoopbackServer(options: options)
    transports = try (1...2).map { threads in
      var configuration = CurlConfiguration()
      configuration.threads = threads
      return try CurlTransport(configuration: configuration)
    }
    cache = try HTTPCache()
    let away = foreign.origin
    for (server, isForeign) in [(home, false), (foreign, true)] {
      // The path ends with the number of the program, but for paths that programs share in the cache.
      server.route("*") { [records] request in
        let parts = request.path.split(separator: "/").map(String.init)
        let number = request.headers["X-Program"].flatMap { Int($0) }
        guard let path = parts.first, let number, let record = records[number] else {
          return .status(410)
        }
        return record.reply(to: request, path: path, isForeign: isForeign, foreign: away)
      }
    }
  }

  func add(_ record: ProgramRecord, number: Int) { records[number] = record }

  func remove(number: Int) { records[number] = nil }

  /// What is left when every program has ended.
  func leftovers(within seconds: Int) -> [String] {
    for _ in 0..<(seconds * 100) where !left.isEmpty { usleep(10_000) }
    return left
  }

  private var left: [String] {
    var left: [String] = []
    for transport in transports {
      let count = transport.gauges?.requestsInFlight ?? 0
      if count != 0 { left.append("\(count) requests are still in flight") }
    }
    let pending = home.log.pending + foreign.log.pending
    if pending != 0 { left.append("\(pending) requests are still pending at the servers") }
    return left
  }
}

/// The records of the running programs, by their numbers.
private final class ProgramRecords: Sendable {
  private let records = Lock([Int: ProgramRecord]())

  subscript(number: Int) -> ProgramRecord? {
    get { records.withLock { $0[number] } }
    set { records.withLock { $0[number] = newValue } }
  }
}
