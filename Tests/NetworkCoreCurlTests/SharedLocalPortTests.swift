import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Connections to two destinations with the same local port", .timeLimit(.minutes(5)))
struct SharedLocalPortTests {
  /// Keeps many connections open until all but one are closed.
  private final class OpenConnections: Sendable {
    static let count = 100

    private struct State {
      var orders: [UInt16: DispatchSemaphore] = [:]
      var chosen: UInt16?
    }

    let arrivals = DispatchGroup()
    let departures = DispatchGroup()
    private let state = Lock(State())

    init() {
      for _ in 0..<Self.count { arrivals.enter() }
    }

    func has(_ port: UInt16?) -> Bool {
      state.withLock { state in port.map { state.orders[$0] != nil } ?? false }
    }

    /// Closes all connections but one, and sends unexpected data on that one.
    func keep(_ port: UInt16) {
      let orders = state.withLock { state in
        state.chosen = port
        return state.orders.values
      }
      for order in orders { departures.enter(); order.signal() }
      departures.wait()
    }

    @Sendable func serve(_ stream: BlockingStream, _: Int) {
      var isLeft = false
      while true {
        let head = stream.read(until: "\r\n\r\n")
        guard !head.isEmpty, let port = stream.peerPort else { break }
        guard head.hasPrefix("GET /first") else {
          stream.write(SharedLocalPortTests.response("right"))
          continue
        }
        let order = DispatchSemaphore(value: 0)
        state.withLock { $0.orders[port] = order }
        arrivals.leave()
        arrivals.wait()
        stream.write(SharedLocalPortTests.response("first"))
        order.wait()
        isLeft = true
        guard state.withLock({ $0.chosen }) == port else { break }
        stream.write(SharedLocalPortTests.response("forged"))
        departures.leave()
        isLeft = false
      }
      if isLeft { departures.leave() }
    }
  }

  private static func response(_ text: String, _ field: String = "") -> [UInt8] {
    Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\(field)\r\n\(text)".utf8)
  }

  @Test("unexpected data on one connection is no response, although none has arrived on the other")
  func unasked() async throws {
    let keeper = OpenConnections()
    let server = try RawServer(serve: keeper.serve)
    let origin = "http://127.0.0.1:\(server.port)"
    let transport = try CurlTransport()
    let first = (0..<OpenConnections.count).map { _ in transport.record(.init(url: "\(origin)/first")) }
    for item in first { #expect(await item.recorder.waitForEnd().error == nil) }
    // The system starts its search for a port at another number for each destination, and about one
    // connection in a hundred gets a port in use.
    let shared = Lock<UInt16?>(nil)
    var others: [RawServer] = []
    for _ in 0..<20_000 where shared.withLock({ $0 }) == nil {
      let other = try RawServer { stream, _ in
        guard !stream.read(until: "\r\n\r\n").isEmpty else { return }
        let port = stream.peerPort
        guard keeper.has(port) else {
          stream.write(Self.response("other", "Connection: close\r\n"))
          return
        }
        shared.withLock { $0 = port }
        stream.write(Self.response("other"))
        _ = stream.read(1)
      }
      #expect(await transport.exchange(.init(url: "http://127.0.0.1:\(other.port)")).error == nil)
      if shared.withLock({ $0 }) != nil { others.append(other) }
    }
    let port = try #require(shared.withLock { $0 })
    keeper.keep(port)
    #expect(await transport.exchange(.init(url: "\(origin)/next")).body == Data("right".utf8))
    withExtendedLifetime(others) {}
  }
}
