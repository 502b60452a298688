import Foundation
import LoopbackServer
import Testing

@Suite("Connections", .timeLimit(.minutes(5)))
struct ConnectionTests {
  @Test("a connection serves one request after another")
  func keepAlive() throws {
    let server = try LoopbackServer { .text($0.path) }
    let peer = try RawClient(server)
    for path in ["/a", "/b", "/c"] { #expect(try peer.response("GET", path).text == path) }
    _ = try RawClient(server).response("GET", "/d")
    let log = server.log
    #expect(log.requests.map(\.connection) == [1, 1, 1, 2])
    #expect(log.requests.map(\.indexOnConnection) == [0, 1, 2, 0])
    #expect(log.connectionsAccepted == 2)
  }

  @Test("pipelined requests get their responses in order, each after the one before")
  func pipelined() throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/first" ? .text("first").held(until: gate) : .text(request.path)
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/first")
    try peer.sendRequest("POST", "/second", body: "x")
    try peer.sendRequest("GET", "/third")
    try server.waitUntil { $0.pending == 1 }
    gate.open()
    #expect(try (0..<3).map { _ in try peer.readResponse().text } == ["first", "/second", "/third"])
    #expect(server.log.requests.map(\.path) == ["/first", "/second", "/third"])
  }

  @Test("a thousand pipelined requests all get a response")
  func manyPipelined() throws {
    let server = try LoopbackServer { .text($0.path) }
    let peer = try RawClient(server)
    // Requests of varying lengths, so that reads end at arbitrary positions.
    let filler = String(repeating: "x", count: 300)
    let requests = (0..<1_000).map { number in
      "GET /\(number) HTTP/1.1\r\nHost: a\r\nFiller: \(filler.prefix(number * 7 % 300))\r\n\r\n"
    }
    try peer.write(requests.joined())
    for number in 0..<1_000 { #expect(try peer.readResponse().text == "/\(number)") }
    #expect(server.log.answered == 1_000)
  }

  @Test("later requests are handled no deeper in the stack than earlier ones")
  func stackDepth() throws {
    let server = try LoopbackServer { _ in .text("\(Thread.callStackReturnAddresses.count)") }
    let peer = try RawClient(server)
    let depths = try (0..<30).map { _ in Int(try peer.response("GET", "/").text) ?? 0 }
    #expect(depths[5] > 0)
    #expect(depths[29] == depths[5])
  }

  @Test("a request to close gets Connection: close and the end", arguments: ["close", "Foo , CLOSE"])
  func asksToClose(option: String) throws {
    let server = try LoopbackServer { _ in .text("bye") }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/", fields: "Connection: \(option)\r\n")
    let all = try peer.readToEnd()
    #expect(all.contains("Connection: close\r\n"))
    #expect(all.hasSuffix("bye"))
  }

  @Test("a reply that closes the connection announces it")
  func closing() throws {
    let server = try LoopbackServer { _ in .text("bye").closingConnection() }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/").fields["connection"] == "close")
    #expect(try peer.readToEnd() == "")
    #expect(server.log.answered == 1)
  }

  @Test("the server closes a connection whose peer keeps its side open")
  func lingering() async throws {
    let server = try LoopbackServer { _ in .text("bye").closingConnection() }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/").text == "bye")
    let log = try await server.log { $0.openConnections == 0 }
    #expect(log.abandoned.isEmpty)
    withExtendedLifetime(peer) {}
  }

  @Test("an HTTP/1.0 connection is closed unless the peer requests to keep it alive")
  func http10() throws {
    let server = try LoopbackServer { _ in .text("old") }
    let leaving = try RawClient(server)
    try leaving.write("GET / HTTP/1.0\r\n\r\n")
    #expect(try leaving.readToEnd().hasSuffix("old"))
    let staying = try RawClient(server)
    for _ in 0..<2 {
      try staying.write("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      let response = try staying.readResponse()
      #expect(response.fields["connection"] == "keep-alive")
      #expect(response.text == "old")
    }
  }

  @Test("an HTTP/1.0 connection is closed if the peer requests both to keep it alive and to close it")
  func http10Closing() throws {
    let server = try LoopbackServer { _ in .text("old") }
    let peer = try RawClient(server)
    try peer.write("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n")
    #expect(try peer.readToEnd().hasSuffix("Connection: close\r\n\r\nold"))
  }

  @Test("an HTTP/1.0 peer receives a chunked body without chunks")
  func chunkedForHTTP10() throws {
    let server = try LoopbackServer { _ in .text("old").chunked() }
    let peer = try RawClient(server)
    try peer.write("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    let response = try peer.readResponse()
    #expect(response.fields["transfer-encoding"] == nil)
    #expect(response.text == "old")
  }

  @Test("a close is noticed after more input than the server reads ahead")
  func closesAfterUnreadInput() throws {
    let server = try LoopbackServer { _ in .never }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/held")
    try server.waitUntil { $0.pending == 1 }
    // The server stops reading at 1 MiB. The remaining bytes must fit into the system's buffer, or the end of
    // the stream would not get through.
    let request = "GET /\(String(repeating: "x", count: 997)) HTTP/1.1\r\nHost: a\r\n\r\n"
    #expect(request.utf8.count == 1_024)
    try peer.write(String(repeating: request, count: 1_025))
    try server.waitUntil { $0.bytesReceived >= 1 << 20 }
    peer.disconnect()
    let log = try server.waitUntil { $0.abandoned.count == 1 }
    #expect(log.abandoned.first?.request.path == "/held")
    #expect(log.requestCount == 1)
  }

  @Test("a send buffer may be larger than the system allows")
  func largestSendBuffer() throws {
    var options = LoopbackServer.Options()
    options.sendBufferSize = .max
    let server = try LoopbackServer(options: options) { _ in .text("sent") }
    #expect(try RawClient(server).response("GET", "/").text == "sent")
  }

  @Test("other connections do not wait for a peer that does not read")
  func slowReader() throws {
    var options = LoopbackServer.Options()
    options.sendBufferSize = 16_384
    let server = try LoopbackServer(options: options) { request in
      request.path == "/large" ? .repeating(0x61, count: 1 << 30) : .text("small")
    }
    let slow = try RawClient(server, receiveBuffer: 16_384)
    try slow.sendRequest("GET", "/large")
    _ = try slow.readHead()
    #expect(try RawClient(server).response("GET", "/small").text == "small")
    #expect(server.log.pending == 1)
  }
}
