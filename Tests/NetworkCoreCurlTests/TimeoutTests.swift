import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Timeouts", .timeLimit(.minutes(5)))
struct TimeoutTests {
  private func transport(_ change: (inout CurlConfiguration.Timeouts) -> Void) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    change(&configuration.timeouts)
    return try CurlTransport(configuration: configuration)
  }

  @Test("a missing response ends with the timeout for the first byte, also below one second")
  func firstByte() async throws {
    let server = try LoopbackServer { _ in .never }
    let transport = try transport { $0.firstByte = .milliseconds(150) }
    let events = await transport.exchange(.init(url: server.origin))
    #expect(events.error?.withoutProof == .timedOut(.firstByte, after: .milliseconds(150)))
    // On a busy machine the timeout may elapse before the request is sent.
    try await server.log(until: { $0.abandoned.count == $0.requestCount && $0.openConnections == 0 })
  }

  @Test("the timeout for the first byte ends with the beginning of a response, also across a redirect")
  func begun() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/from" ? .redirect(to: "/to") : .text("0123456789").bodyHeld(until: gate, after: 4)
    }
    let transport = try transport { $0.firstByte = TestTimeouts.idle }
    // Ends after the timeout for the first byte.
    let idle = TestTimeouts.idle + .seconds(1)
    let (transfer, recorder) = transport.record(.init(url: "\(server.origin)/from", idleTimeout: idle))
    await recorder.waitUntil { $0.body.count == 4 }
    let events = await recorder.waitForEnd()
    #expect(events.error == .timedOut(.idle, after: idle))
    withExtendedLifetime(transfer) {}
  }

  @Test("the timeout for the first byte does not apply to the target of a redirect")
  func begunByRedirect() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/from" ? .redirect(to: "/to") : .text("late").held(until: gate)
    }
    let transport = try transport { $0.firstByte = TestTimeouts.idle }
    let idle = TestTimeouts.idle + .seconds(1)
    let events = await transport.exchange(.init(url: "\(server.origin)/from", idleTimeout: idle))
    #expect(events.error == .timedOut(.idle, after: idle))
    gate.open()
  }

  @Test("an endless body ends with the total timeout")
  func total() async throws {
    let server = try LoopbackServer { _ in
      .repeating(7, count: 1 << 40).trickled(chunk: 1_000, every: .milliseconds(20))
    }
    let transport = try transport { $0.total = .milliseconds(1500) }
    let events = await transport.exchange(.init(url: server.origin))
    #expect(events.error == .timedOut(.total, after: .milliseconds(1500)))
    try await server.log(until: { $0.openConnections == 0 })
  }

  @Test(
    "an idle timeout of 0, or of an absurd length, is no limit", arguments: TransportKind.allCases,
    [Duration.zero, .seconds(-1), .seconds(1_000_000_000_000), .seconds(Int64.max)])
  func unlimited(kind: TransportKind, timeout: Duration) async throws {
    let server = try LoopbackServer { _ in .text("ok").delayed(by: .milliseconds(200)) }
    let events = await (try kind.make()).exchange(.init(url: server.origin, idleTimeout: timeout))
    #expect(events.error == nil)
    #expect(events.body == Data("ok".utf8))
  }

  @Test("a connection that does not open ends with the timeout for connecting")
  func connect() async throws {
    // An address for documentation (RFC 5737): nothing responds, or the network reports at once that it is
    // unreachable.
    let transport = try transport { $0.connect = .milliseconds(100) }
    let events = await transport.exchange(.init(url: "http://192.0.2.1/"))
    switch events.error {
    case .timedOut(.connect, after: .milliseconds(100), isUnsent: true), .cannotConnect: break
    case let error: Issue.record("\(String(describing: error))")
    }
  }

  @Test("an incomplete TLS handshake ends with the timeout for connecting")
  func handshake() async throws {
    // Sends nothing in response to the client's hello.
    let silent = try RawServer { stream, _ in
      while stream.readAvailable(upTo: 1_024) != nil {}
    }
    let transport = try transport { $0.connect = .milliseconds(200) }
    // If libcurl allowed much more time for the handshake, the idle timeout of a minute would elapse first.
    let events = await transport.exchange(.init(url: "https://127.0.0.1:\(silent.port)/"))
    #expect(events.error == .timedOut(.connect, after: .milliseconds(200), isUnsent: true))
  }

  @Test("each error states which timeout it was, also in its message")
  func words() {
    let errors = [TransferTimeout.connect, .firstByte, .idle, .total].map {
      TransferError.timedOut($0, after: .seconds(2))
    }
    #expect(Set(errors.map(\.localizedDescription)).count == 4)
    #expect(TransferError.timedOut(after: .seconds(2)) == .timedOut(.idle, after: .seconds(2)))
  }

  @Test("invalid timeouts are rejected", arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max)])
  func senseless(timeout: Duration) {
    for path in [\CurlConfiguration.Timeouts.firstByte, \.total] {
      #expect(throws: CurlConfigurationError.self) { try transport { $0[keyPath: path] = timeout } }
    }
    #expect(throws: CurlConfigurationError.self) { try transport { $0.connect = timeout } }
  }
}
