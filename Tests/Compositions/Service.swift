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
  /// With the tokens of two users.
  let personal: [CurlTransport]
  /// Each for one program at a time.
  let exclusive: Pool<CurlTransport>
  let cache: HTTPCache
  /// The messages of WebSockets that arrived after the end of their programs.
  let lateMessages = Lock(0)

  init() throws {
    var options = LoopbackServer.Options()
    options.keptRequests = 0
    home = try LoopbackServer(options: options)
    foreign = try LoopbackServer(options: options)
    transports = try (1...2).map { try Self.transport(threads: $0) }
    let origin = home.origin
    personal = try (0...1).map { user in
      try Self.transport(credentials: [origin: .bearer(token: "user\(user)-x")])
    }
    exclusive = Pool(try (0..<4).map { _ in try Self.transport() })
    cache = try HTTPCache()
    let away = foreign.origin
    for (server, isForeign) in [(home, false), (foreign, true)] {
      // The path ends with the number of the program, but for paths that programs share in the cache.
      server.route("*") { [records] request in
        let parts = request.path.split(separator: "/").map(String.init)
        guard let path = parts.first, let record = request.program.flatMap({ records[$0] }) else {
          return .status(410)
        }
        return record.reply(to: request, path: path, isForeign: isForeign, foreign: away)
      }
    }
  }

  private static func transport(
    threads: Int = 1, credentials: [String: CurlConfiguration.Credential] = [:]
  ) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.threads = threads
    configuration.credentials = credentials
    return try CurlTransport(configuration: configuration)
  }

  func add(_ record: ProgramRecord, number: Int) { records[number] = record }

  func remove(number: Int) { records[number] = nil }

  /// Waits until a server has seen that a program broke off a request.
  ///
  /// - Returns: `false` if it has not seen that in time.
  func seesCancel(ofProgram number: Int, within seconds: Int) -> Bool {
    let log = try? home.waitUntil(timeout: .seconds(seconds)) { log in
      log.abandoned.suffix(256).contains { $0.request.program == number }
    }
    return log != nil
  }

  /// What is left when every program has ended.
  func leftovers(within seconds: Int, checksThreads: Bool) -> [String] {
    for _ in 0..<(seconds * 100) where !left(checksThreads).isEmpty { usleep(10_000) }
    return left(checksThreads)
  }

  private func left(_ checksThreads: Bool) -> [String] {
    var left: [String] = []
    for transport in transports + personal + exclusive.all {
      let count = transport.gauges?.requestsInFlight ?? 0
      if count != 0 { left.append("\(count) requests are still in flight") }
    }
    let late = lateMessages.withLock { $0 }
    if late != 0 { left.append("\(late) messages arrived after the end of their programs") }
    let pending = home.log.pending + foreign.log.pending
    if pending != 0 { left.append("\(pending) requests are still pending at the servers") }
    // Each loop, the cache and the files may keep a thread for later callbacks.
    let idle = transports.count + 1 + personal.count + exclusive.all.count + 2
    let threads = checksThreads ? ProcessThreads.count(named: "NetworkCallback") : 0
    if threads > idle { left.append("\(threads) threads for callbacks are left of \(idle)") }
    return left
  }
}

extension LoopbackServer.Request {
  /// The number of the program that sent the request.
  fileprivate var program: Int? { headers["X-Program"].flatMap { Int($0) } }
}

/// The records of the running programs, by their numbers.
private final class ProgramRecords: Sendable {
  private let records = Lock([Int: ProgramRecord]())

  subscript(number: Int) -> ProgramRecord? {
    get { records.withLock { $0[number] } }
    set { records.withLock { $0[number] = newValue } }
  }
}
