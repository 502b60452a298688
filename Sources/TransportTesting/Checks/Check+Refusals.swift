internal import struct Foundation.Data
internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  static let refusals: [Self] = [
    refused("a line break in a value") { $0.headers.add(name: "X-Note", value: "a\r\nX-Forged: b") },
    refused("a line feed in a value") { $0.headers.add(name: "X-Note", value: "a\nX-Forged: b") },
    refused("a control character in a value") { $0.headers.add(name: "X-Note", value: "a\u{0}b") },
    refused("a line break in a name") { $0.headers.add(name: "X\r\nX-Forged: b\r\nX", value: "a") },
    refused("an empty name") { $0.headers.add(name: "", value: "a") },
    refused("a space in a method") { $0.method = .init(rawValue: "GET /forged HTTP/1.1\r\n\r\nGET") },
    refused("an empty method") { $0.method = .init(rawValue: "") },
    refused("a length that contradicts the body") {
      $0.method = .post
      $0.body = .data(Data("body".utf8))
      $0.headers.add(name: "Content-Length", value: "3")
    },
    refused("a transfer coding of the caller") {
      $0.method = .post
      $0.body = .data(Data("body".utf8))
      $0.headers.add(name: "Transfer-Encoding", value: "chunked")
    },
    refused("a space in a URL") { $0.url += "/a b" },
    refused("a line break in a URL") { $0.url += "/a\r\nX-Forged: b" },
    refused("a URL without a host") { $0.url = "http:///a" },
    refused("a relative URL") { $0.url = "/a" },
    refused("another scheme") { $0.url = "file:///etc/hostname" },
    Self(.refusals, "a transport works after a refused request") { run in
      let transport = try run.transport()
      _ = try await run.exchange(TransportRequest(url: "none"), over: transport)
      try await run.exchange("/ok", over: transport) { $0.ends == [nil] && $0.text == "ok" }
    },
  ]

  private static func refused(
    _ what: String, _ change: @escaping @Sendable (inout TransportRequest) -> Void
  ) -> Self {
    Self(.refusals, "\(what) is refused, and nothing is sent") { run in
      run.server.route("*") { _ in .text("ok") }
      var request = TransportRequest(url: run.origin)
      change(&request)
      let events = try await run.exchange(request, over: run.transport())
      switch events.error {
      case .invalidField?, .unsupportedURL?: break
      default: run.note(events.summary)
      }
      let log = run.server.log
      run.expect(log.requestCount == 0 && log.rejected == 0, "the server got a request: \(log)")
    }
  }
}
