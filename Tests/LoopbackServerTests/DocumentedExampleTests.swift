import LoopbackServer
import Testing

@Suite("The examples of the documentation", .timeLimit(.minutes(5)))
struct DocumentedExampleTests {
  @Test("the example of LoopbackServer runs")
  func server() throws {
    let server = try LoopbackServer { request in
      request.path == "/zen" ? .text("Keep it simple.") : .status(404)
    }
    server.route("GET", "/users/:name") { request in
      .json(#"{"login": "\#(request.parameters["name"] ?? "")"}"#).delayed(by: .milliseconds(300))
    }
    server.route("/hangs") { _ in .never }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/zen").text == "Keep it simple.")
    #expect(try peer.response("GET", "/users/ash").text == #"{"login": "ash"}"#)
    #expect(try peer.response("GET", "/other").status == 404)
    try peer.sendRequest("GET", "/hangs")
    peer.disconnect()
    try server.waitUntil { $0.abandoned.count == 1 }
  }

  @Test("the examples of Reply are valid responses")
  func reply() throws {
    let image = Array(repeating: UInt8(7), count: 1_500)
    let server = try LoopbackServer()
    server.route("/late") { _ in .json(#"{"ok": true}"#).delayed(by: .seconds(1)) }
    server.route("/slow") { _ in
      .bytes(image, type: "image/png").chunked().trickled(chunk: 512, every: .milliseconds(20))
    }
    server.route("/half") { _ in .text("Half of this").truncated(after: 7) }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/late").text == #"{"ok": true}"#)
    #expect(try peer.response("GET", "/slow").body == image)
    try peer.sendRequest("GET", "/half")
    #expect(try peer.readHead().status == 200)
    #expect(try peer.readToEnd() == "Half of")
  }

  @Test("the example of Gate runs")
  func gate() throws {
    let server = try LoopbackServer()
    let gate = LoopbackServer.Gate()
    server.route("/slow") { _ in .text("done").held(until: gate) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/slow")
    gate.open()
    #expect(try peer.readResponse().text == "done")
  }
}
