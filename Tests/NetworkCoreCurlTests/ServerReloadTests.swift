import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("Reloaded servers", .timeLimit(.minutes(5)))
struct ServerReloadTests {
  private static let count = 6_000

  /// Sends POSTs over HTTP/2 from 64 tasks, and returns their errors; calls `reload` six times meanwhile.
  private func post(
    to origin: String, _ transport: CurlTransport, reload: @escaping @Sendable () throws -> Void
  ) async throws -> [TransferError] {
    try await withThrowingTaskGroup(of: [TransferError].self) { group in
      for worker in 0..<64 {
        group.addTask {
          var errors: [TransferError] = []
          for number in stride(from: worker, to: Self.count, by: 64) {
            if number % 900 == 450, number < 5_400 { try reload() }
            let request = TransportRequest(
              method: .post, url: "\(origin)/\(number)", body: .data(Data("body".utf8)))
            if let error = await transport.exchange(request).error { errors.append(error) }
          }
          return errors
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// The connections of a server that is reloaded.
  private struct Connections {
    var reloads = 0
    /// The number of reloads before each connection's first request.
    var beginnings: [Int: Int] = [:]

    /// Returns whether the server has been reloaded since the first request of a connection.
    mutating func isOutdated(_ connection: Int) -> Bool {
      if let beginning = beginnings[connection] { return beginning < reloads }
      beginnings[connection] = reloads
      return false
    }
  }

  @Test("no POST over HTTP/2 is lost or processed twice while the server leaves its connections")
  func departures() async throws {
    let connections = Lock(Connections())
    var options = LoopbackServer.Options()
    options.http2 = .init()
    let server = try LoopbackServer(tls: .generated, options: options) { request in
      // Requests that arrive after GOAWAY are not processed.
      let isLeft = connections.withLock { $0.isOutdated(request.connection) }
      return isLeft || request.indexOnConnection == 499 ? .text("ok").http2(.goAway()) : .text("ok")
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let errors = try await post(to: server.origin, CurlTransport(configuration: configuration)) {
      connections.withLock { $0.reloads += 1 }
    }
    #expect(errors == [])
    let log = server.log
    #expect(log.requestCount == Self.count)
    #expect(Set(log.requests.map(\.target)).count == Self.count)
    #expect(log.connectionsAccepted > 12)
  }

  @Test(
    "no POST over HTTP/2 is lost or processed twice while nginx is reloaded six times",
    .enabled(if: InstalledProgram.nginx.path != nil, "needs nginx, whose GOAWAY is the point"))
  func posts() async throws {
    let authority = try LoopbackServer(tls: .generated)
    // nginx acts as a proxy, and so reads the body before it has a response.
    let socket = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sock")
    defer { try? FileManager.default.removeItem(at: socket) }
    let directives = "access_log access.log; location / { proxy_pass http://unix:\(socket.path); }"
    let nginx = try Nginx(
      try #require(authority.identity), directives,
      http: "server { listen unix:\(socket.path); location / { return 200 ok; } }")
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(authority.authority)
    let transport = try CurlTransport(configuration: configuration)
    let errors = try await post(to: nginx.origin, transport) { try nginx.reload() }
    #expect(errors == [])
    // nginx writes the log line after the response.
    try await suspendUntil { try nginx.targets().count >= Self.count }
    let targets = try nginx.targets()
    #expect(targets.count == Self.count)
    #expect(Set(targets).count == Self.count)
  }
}
