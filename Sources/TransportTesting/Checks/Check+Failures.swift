internal import LoopbackServer
internal import NetworkCoreTransport

extension TransportContract.Check {
  static let failures: [Self] = [
    Self(.failures, "a port without a server ends with an error, without a head") { run in
      // The port of a server that has stopped could be another one's by now; this one needs privileges.
      let events = try await run.exchange(
        TransportRequest(url: "http://127.0.0.1:1/"), over: run.transport())
      run.expect(events.error != nil && events.head == nil, events.summary)
    },
    failure("a connection that closes without a response ends with an error", .close),
    failure("a connection that is reset without a response ends with an error", .reset),
    failure("a body that is shorter than announced ends with an error", .text("short").contentLength(9)),
    failure(
      "a chunked body that is cut off ends with an error",
      .text("cut off").chunked(size: 3).truncated(after: 4)),
    failure(
      "a body whose connection is reset ends with an error",
      .repeating(7, count: 1 << 20).truncated(after: 1 << 19, by: .reset)),
    failure("bytes that are not HTTP end with an error", .raw("garbage without any meaning\r\n\r\n".utf8)),
    Self(.failures, "a transport works after a failure") { run in
      run.server.route("/close") { _ in .close }
      let transport = try run.transport()
      for _ in 0..<3 {
        try await run.exchange("/close", over: transport) { $0.error != nil }
        try await run.exchange("/ok", over: transport) { $0.ends == [nil] && $0.text == "ok" }
      }
    },
  ]

  private static func failure(_ name: String, _ reply: LoopbackServer.Reply) -> Self {
    Self(.failures, name) { run in
      run.server.route("/a") { _ in reply }
      try await run.exchange("/a", over: run.transport()) { $0.error != nil && $0.error != .cancelled }
    }
  }
}
