import LoopbackServer
import Synchronization
import Testing

@Suite("The server survives any input", .timeLimit(.minutes(5)))
struct FuzzTests {
  private static let rounds = 500

  @Test("random and mangled requests never stop the server")
  func requests() throws {
    var random = SeededGenerator(seed: 0x5EED)
    var options = LoopbackServer.Options()
    options.headLimit = 2_000
    options.bodyLimit = 5_000
    let server = try LoopbackServer(options: options) {
      .text($0.path + $0.text + ($0.headers["host"] ?? ""))
    }
    for _ in 0..<Self.rounds {
      let peer = try RawClient(server)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        // The server may already have closed the connection, because it rejects malformed input.
        guard try peer.writeUnlessClosed(mangledRequest(using: &random)) else { break }
      }
      peer.disconnect(reset: Bool.random(using: &random))
    }
    #expect(try RawClient(server).response("GET", "/alive").text == "/alivea")
    let log = try server.waitUntil { $0.openConnections == 0 }
    #expect(log.connectionsAccepted == Self.rounds + 1)
    #expect(log.rejected > Self.rounds / 10)
    #expect(log.requestCount > Self.rounds / 10)
  }

  @Test("random replies never stop the server")
  func replies() throws {
    let random = Mutex(SeededGenerator(seed: 0xF00D))
    let server = try LoopbackServer { request in
      request.path == "/alive" ? .text("alive") : random.withLock { randomReply(using: &$0) }
    }
    for _ in 0..<Self.rounds {
      let peer = try RawClient(server)
      try peer.sendRequest("GET", "/")
      try server.waitUntil { $0.requestCount == $0.connectionsAccepted }
    }
    #expect(try RawClient(server).response("GET", "/alive").text == "alive")
    let log = try server.waitUntil { $0.openConnections == 0 }
    #expect(log.requestCount == Self.rounds + 1)
    #expect(log.answered > Self.rounds / 20)
    #expect(log.brokenOff > Self.rounds / 20)
    #expect(log.answered + log.brokenOff + log.abandoned.count == log.requestCount)
  }
}

private let seeds = [
  "GET /a?b=c HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n",
  "POST /%41 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
  "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\nT: x\r\n\r\n",
  "GET http://a/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
]

private func mangledRequest(using random: inout SeededGenerator) -> [UInt8] {
  guard Int.random(in: 0..<4, using: &random) > 0 else {
    return (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
    }
  }
  var bytes = Array((seeds.randomElement(using: &random) ?? "").utf8)
  for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
    let index = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes.remove(at: index)
    case 2: bytes.insert(contentsOf: Array("\r\n:; 9F".utf8).shuffled(using: &random).prefix(2), at: index)
    default: bytes.removeSubrange(index...)
    }
  }
  return bytes
}

private func randomReply(using random: inout SeededGenerator) -> LoopbackServer.Reply {
  let numbers = [Int.min, -1, 0, 1, 2, 7, 100, 65_536, Int.max]
  let durations: [Duration] = [.zero, .seconds(-1), .nanoseconds(1), .milliseconds(2), .seconds(Int64.max)]
  func number() -> Int { numbers.randomElement(using: &random) ?? 0 }
  func duration() -> Duration { durations.randomElement(using: &random) ?? .zero }
  let gate = LoopbackServer.Gate()
  if Bool.random(using: &random) { gate.open() }
  var reply: LoopbackServer.Reply =
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .close
    case 1: .reset
    case 2: .raw("raw".utf8, closing: Bool.random(using: &random))
    case 3: .status(number())
    case 4: .repeating(1, count: 70_000)
    default: .text("Some text to be sent")
    }
  for _ in 0..<Int.random(in: 0...3, using: &random) {
    switch Int.random(in: 0..<14, using: &random) {
    case 0: reply = reply.delayed(by: duration())
    case 1: reply = reply.held(until: gate)
    case 2: reply = reply.bodyDelayed(by: duration(), after: number())
    case 3: reply = reply.bodyHeld(until: gate, after: number())
    case 4: reply = reply.trickled(chunk: number(), every: duration())
    case 5: reply = reply.truncated(after: number())
    case 6: reply = reply.truncated(after: number(), of: .head, by: .reset)
    case 7: reply = reply.chunked(size: number())
    case 8: reply = reply.endedByClosing()
    case 9: reply = reply.contentLength(number())
    case 10: reply = reply.preceded(by: number(), headers: [("", "\n")])
    case 11: reply = reply.trailer("T", "t")
    case 12: reply = reply.header("", "\0")
    default: reply = reply.closingConnection()
    }
  }
  return reply
}

/// SplitMix64: the same numbers in every run.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
