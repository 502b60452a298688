import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The proof that a request was not sent", .timeLimit(.minutes(5)))
struct UnsentRequestTests {
  // The port of a stopped server may soon be reused; nothing listens on this one.
  private let nowhere = "http://127.0.0.1:1/"

  private func post(_ url: String) -> TransportRequest {
    TransportRequest(method: .post, url: url, body: .data(Data("x".utf8)))
  }

  @Test(
    "is given by CurlTransport for a refused connection and an unknown host",
    arguments: TransportKind.allCases,
    ["http://127.0.0.1:1/", "http://no-such-host.invalid/"])
  func refused(kind: TransportKind, url: String) async throws {
    let error = await (try kind.make()).exchange(post(url)).error
    #expect(error?.isUnsent == (kind == .curl))
  }

  @Test(
    "is given if the connection did not open in time",
    arguments: [Duration.milliseconds(200), .microseconds(400)])
  func connectionTimeout(timeout: Duration) async throws {
    let silent = try RawServer { stream, _ in
      while stream.readAvailable(upTo: 1_024) != nil {}
    }
    var configuration = CurlConfiguration()
    configuration.timeouts.connect = timeout
    let transport = try CurlTransport(configuration: configuration)
    let error = await transport.exchange(post("https://127.0.0.1:\(silent.port)/")).error
    #expect(error == .timedOut(.connect, after: timeout, isUnsent: true))
  }

  @Test(
    "ends with a redirect, whoever follows it", arguments: [303, 307],
    [true, false].flatMap { byHandler in
      ["http://127.0.0.1:1/", "http://no-such-host.invalid/"].map { (byHandler, $0) }
    })
  func redirected(status: Int, next: (byHandler: Bool, url: String)) async throws {
    let server = try LoopbackServer { _ in .redirect(to: next.url, status: status) }
    // A handler that always follows would leave the redirects to the transport.
    let handler = Redirector(behavior: .modify { _, request, _ in request })
    let session = next.byHandler ? Session(configuration: .ephemeral, redirectHandler: handler) : nil
    let transport: any Transport = try session ?? CurlTransport()
    let error = await transport.exchange(post(server.origin)).error
    switch error {
    case .cannotConnect(url: next.url, _, isUnsent: false),
      .cannotFindHost("no-such-host.invalid", isUnsent: false):
      break
    default: Issue.record("\(String(describing: error))")
    }
    #expect(server.log.requestCount == 1)
  }

  @Test("is not given if a kept connection broke, and no other could be opened")
  func reusedConnection() async throws {
    let stop = Lock<(@Sendable () -> Void)?>(nil)
    let server = try LoopbackServer { request in
      guard request.indexOnConnection > 0 else { return .text("ok") }
      stop.withLock { $0 }?()
      return .close
    }
    stop.withLock { $0 = { server.stop() } }
    let transport = try CurlTransport()
    #expect(await transport.exchange(post(server.origin)).error == nil)
    let error = await transport.exchange(post(server.origin)).error
    #expect(error?.isUnsent == false)
    stop.withLock { $0 = nil }
  }

  @Test("is not given if the server asked for a credential and could not be reached again")
  func challenged() async throws {
    // Nothing else will listen on it, as on a port.
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sock").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let listening = Lock<RawServer?>(nil)
    func listen() throws -> RawServer {
      try RawServer(at: path) { stream, _ in
        _ = stream.read(until: "\r\n\r\n")
        // Closes the listening socket.
        listening.withLock { $0 = nil }
        let fields =
          "WWW-Authenticate: Digest realm=\"a\", nonce=\"b\"\r\nConnection: close\r\nContent-Length: 0"
        stream.write(Array("HTTP/1.1 401 Unauthorized\r\n\(fields)\r\n\r\n".utf8))
      }
    }
    try listening.withLock { $0 = try listen() }
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    var request = post("http+unix://\(host)/")
    request.credential = .digest(user: "u", password: "p")
    let error = await (try CurlTransport()).exchange(request).error
    guard case .cannotConnect(_, _, isUnsent: false)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
