import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Ends of TLS connections", .timeLimit(.minutes(5)))
struct CloseNotifyTests {
  private func transport(_ server: LoopbackServer) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    return try CurlTransport(configuration: configuration)
  }

  /// Returns the events of a response whose connection is closed without close_notify.
  private func response(_ head: String, _ method: HTTPMethod = .get) async throws -> TransferRecorder.Events {
    var tls = LoopbackServer.TLS.generated
    tls.sendsCloseNotify = false
    let server = try LoopbackServer(tls: tls) { request in
      .raw("HTTP/1.1 200 OK\r\n\(head)\r\n\(request.method == "HEAD" ? "" : "body")".utf8)
    }
    return await (try transport(server)).exchange(.init(method: method, url: server.origin))
  }

  @Test(
    "a body without a length is truncated if the connection closes without close_notify",
    arguments: ["", "Connection: close\r\n"])
  func cutOff(fields: String) async throws {
    let events = try await response(fields)
    #expect(events.body == Data("body".utf8))
    guard case .truncatedBody? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("a body shorter than its length is truncated, however the connection ends")
  func short() async throws {
    let events = try await response("Content-Length: 5\r\n")
    #expect(events.body == Data("body".utf8))
    guard case .truncatedBody? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("a body with a length, and a response without a body, are complete")
  func whole() async throws {
    #expect(try await response("Content-Length: 4\r\n").error == nil)
    #expect(try await response("", .head).error == nil)
  }

  @Test("a body without a length is complete if the server has sent close_notify")
  func said() async throws {
    let server = try LoopbackServer(tls: .generated) { _ in
      .repeating(UInt8(ascii: "a"), count: 300_000).endedByClosing()
    }
    let transport = try transport(server)
    for method in [HTTPMethod.get, .post] {
      let events = await transport.exchange(.init(method: method, url: server.origin))
      #expect(events.error == nil)
      #expect(events.head?.headers["Content-Length"] == nil)
      #expect(events.body.count == 300_000)
    }
  }
}
