import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Responses that arrive together over HTTP/2", .timeLimit(.minutes(5)))
struct PendingTLSRecordTests {
  private static let text = String(repeating: "x", count: 100)
  /// Hold the responses to the requests whose bodies are their names.
  private let gates = ["cancelled", "older", "newer"].reduce(into: [:]) { $0[$1] = LoopbackServer.Gate() }
  private let server: LoopbackServer
  private let transport: CurlTransport

  init() throws {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    server = try LoopbackServer(tls: .generated, options: options) { [gates] request in
      guard let gate = gates[request.text] else { return .text("ok") }
      return .text(Self.text).held(until: gate)
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    transport = try CurlTransport(configuration: configuration)
  }

  private func start(_ body: String) -> (transfer: any Cancellable, recorder: TransferRecorder) {
    var request = TransportRequest(method: .post, url: server.origin, body: .data(Data(body.utf8)))
    request.idleTimeout = .seconds(20)
    return transport.record(request)
  }

  /// Blocks the loop's thread at its next command, until `open()`.
  private struct LoopBlocker {
    private let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    init(on transport: CurlTransport) {
      _ = transport.start(TransportRequest(url: "not a URL").deliveredOnLoop) { [reached, opened] _ in
        reached.signal()
        opened.wait()
      }
    }

    func waitUntilReached() { reached.wait() }

    func open() { opened.signal() }
  }

  @Test("a response after the end of another stream is read, although the socket has no more data")
  func afterAnEnd() async throws {
    #expect(await start("used").recorder.waitForEnd().error == nil)
    var held: [(transfer: any Cancellable, recorder: TransferRecorder)] = []
    for name in ["cancelled", "older", "newer"] {
      held.append(start(name))
      try await server.log { [count = held.count] in $0.pending == count }
    }

    // After a cancellation, libcurl serves another stream, the newest, without an event of the socket.
    let first = LoopBlocker(on: transport)
    first.waitUntilReached()
    // Both of these commands are processed together.
    let second = LoopBlocker(on: transport)
    held[0].transfer.cancel()
    first.open()
    second.waitUntilReached()
    // Two TLS records, the one for the newest stream first.
    gates["newer"]?.open()
    #expect(waitUntil { ProcessFacts.hasUnreadBytes(from: server.port) })
    gates["older"]?.open()
    #expect(waitUntil { ProcessFacts.hasUnreadBytes(200, from: server.port) })
    second.open()

    #expect(await held[2].recorder.waitForEnd().body == Data(Self.text.utf8))
    #expect(await held[1].recorder.waitForEnd().body == Data(Self.text.utf8))
    #expect(server.log.requests.map(\.connection) == [1, 1, 1, 1])
  }
}
