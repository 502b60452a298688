import Dispatch
import Foundation
import NetworkCore
import Testing

@Suite(
  "Responses that arrive together over HTTP/2",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct PendingTLSRecordTests {
  private let server: OpenSSLServer
  private let transport: CurlTransport

  init() throws {
    let authority = try CertificateAuthority()
    server = try OpenSSLServer(authority.issue(), version: "h2")
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(authority.root.pem)
    transport = try CurlTransport(configuration: configuration)
  }

  private func start(_ body: String) throws -> (transfer: any Cancellable, recorder: TransferRecorder) {
    var request = TransportRequest(method: .post, url: server.origin, body: .data(Data(body.utf8)))
    request.idleTimeout = 20
    let started = transport.record(request)
    try server.waitToReceive(body)
    return started
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
    let used = try start("used")
    server.send(.settings, .response(stream: 1, "ok"))
    #expect(await used.recorder.waitForEnd().error == nil)
    let cancelled = try start("cancelled")
    let older = try start("older")
    let newer = try start("newer")
    let text = String(repeating: "x", count: 100)

    // After a cancellation, libcurl serves another stream, the newest, without an event of the socket.
    let first = LoopBlocker(on: transport)
    first.waitUntilReached()
    // Both of these commands are processed together.
    let second = LoopBlocker(on: transport)
    cancelled.transfer.cancel()
    first.open()
    second.waitUntilReached()
    // Two TLS records, the one for the newest stream first.
    server.send(.response(stream: 7, text))
    try server.waitUntilUnread()
    server.send(.response(stream: 5, text))
    try server.waitUntilUnread(bytes: 200)
    second.open()

    #expect(await newer.recorder.waitForEnd().body == Data(text.utf8))
    #expect(await older.recorder.waitForEnd().body == Data(text.utf8))
  }
}
