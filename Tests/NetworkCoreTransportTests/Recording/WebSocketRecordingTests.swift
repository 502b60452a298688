import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Recording and replaying WebSockets", .timeLimit(.minutes(5)))
struct WebSocketRecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A server that sends each frame back as it came; after "end", two messages and a close frame.
  private func mirror(_ code: UInt16 = 4001, compression: String? = nil) throws -> LoopbackServer {
    try LoopbackServer { _ in
      let reply = LoopbackServer.Reply.webSocket { socket in
        while socket.receive() != nil, let frame = socket.frames.last {
          let count = frame.payload.count
          let length =
            count < 126
            ? [UInt8(count)]
            : count < 65_536
              ? [126, UInt8(count >> 8), UInt8(count & 0xFF)]
              : [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
          socket.sendRaw([0x80 | (frame.isCompressed ? 0x40 : 0) | frame.opcode] + length + frame.payload)
          guard frame.payload == Array("end".utf8) else { continue }
          socket.ping([1, 2])
          socket.send(fragments: [Array("la".utf8), Array("st".utf8)], asText: true)
          socket.send(.binary([0xFF, 0]))
          socket.close(code: code, reason: "bye")
        }
      }
      return compression.map { reply.header("Sec-WebSocket-Extensions", $0) } ?? reply
    }
  }

  private func recorder(webSocketLimit: Int = 64 << 20) throws -> NetworkProvider<LoopbackTarget> {
    NetworkProvider(
      transport: try RecordingTransport(
        CurlTransport(), folder: folder.url, webSocketLimit: webSocketLimit))
  }

  private func replay(
    scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) throws -> NetworkProvider<LoopbackTarget> {
    NetworkProvider(transport: try ReplayTransport(folder: folder.url), scheduler: scheduler)
  }

  /// What a client receives that waits for a response to each message, and then for the end.
  private func conversation(
    _ provider: NetworkProvider<LoopbackTarget>, _ target: LoopbackTarget, _ messages: [WebSocketMessage],
    compresses: Bool = false
  ) async throws -> (messages: [WebSocketMessage], error: NetworkError?) {
    let socket = try await provider.webSocket(
      target, options: WebSocketOptions(offersCompression: compresses))
    var iterator = socket.makeAsyncIterator()
    var received: [WebSocketMessage] = []
    do throws(NetworkError) {
      for message in messages {
        try await socket.send(message)
        if let message = try await iterator.next() { received.append(message) }
      }
      while let message = try await iterator.next() { received.append(message) }
      return (received, nil)
    } catch {
      return (received, error)
    }
  }

  private func file() throws -> String {
    #expect(folder.names.count == 1)
    return try String(contentsOf: folder.file(folder.names.first ?? ""), encoding: .utf8)
  }

  @Test("a conversation is replayed without its server, also compressed", arguments: [false, true])
  func roundTrip(compresses: Bool) async throws {
    let server = try mirror(compression: compresses ? "permessage-deflate" : nil)
    let target = LoopbackTarget(server, "/a").with {
      $0.task = .requestParameters(
        parameters: ["access_token": "secret"], encoding: URLEncoding.queryString)
    }
    let bytes = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    let long = WebSocketMessage.text(String(repeating: "long ", count: 100))
    let messages = [.text("hello"), long, long, .binary(bytes), .text("end")]
    let recorded = try await conversation(recorder(), target, messages, compresses: compresses)
    #expect(recorded.messages.suffix(3) == [.text("end"), .text("last"), .binary(Data([0xFF, 0]))])
    let closed = WebSocketError.closed(code: .init(rawValue: 4001), reason: "bye")
    #expect(recorded.error?.webSocketError == closed)
    server.stop()

    let replayed = try await conversation(replay(), target, messages, compresses: compresses)
    let isSame = replayed.messages == recorded.messages && recorded.messages.prefix(5) == messages[...]
    #expect(isSame)
    #expect(replayed.error?.webSocketError == closed)
    #expect(server.log.requestCount == 1)

    let text = try file()
    #expect(text.contains(#""text" : "hello""#))
    #expect(text.contains(#""code" : 4001"#))
    #expect(text.contains("isCompressed") == compresses)
    #expect(!text.contains("secret"))
    let path = folder.file(folder.names[0]).path
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test("each frame waits for as many messages as the recorded client had sent")
  func order() async throws {
    let server = try mirror()
    let messages = [WebSocketMessage.text("a"), .text("end")]
    _ = try await conversation(recorder(), LoopbackTarget(server), messages)
    let socket = try await replay().webSocket(LoopbackTarget(server))
    var iterator = socket.makeAsyncIterator()
    try await socket.send(.text("a"))
    #expect(try await iterator.next() == .text("a"))
    // The server's next message would come before the close frame that responds to this one.
    socket.close()
    #expect(try await iterator.next() == nil)
  }

  @Test("a client that sends more messages than were recorded fails with a typed error")
  func more() async throws {
    let server = try mirror()
    let first = try await recorder().webSocket(LoopbackTarget(server))
    var iterator = first.makeAsyncIterator()
    try await first.send(.text("a"))
    #expect(try await iterator.next() == .text("a"))
    first.close()
    #expect(try await iterator.next() == nil)

    let again = try await replay().webSocket(LoopbackTarget(server))
    var messages = again.makeAsyncIterator()
    try await again.send(.text("a"))
    #expect(try await messages.next() == .text("a"))
    try await again.send(.text("b"))
    again.close()
    let error = await #expect(throws: NetworkError.self) { _ = try await messages.next() }
    #expect(
      error?.transferError == .conversationNotRecorded(url: "\(server.origin)/", afterMessages: 1))
    #expect(
      error?.localizedDescription
        == "The recording of the WebSocket \(server.origin)/ ends after message 1 of the client.")
  }

  @Test("a connection that the server breaks is recorded, and breaks in the replay")
  func broken() async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        _ = socket.receive()
        // Half a frame.
        socket.sendRaw([0x81, 1, 0x61, 0x82, 9, 1])
        socket.abort()
      }
    }
    let recorded = try await conversation(recorder(), LoopbackTarget(server), [.text("x")])
    #expect(recorded.messages == [.text("a")])
    guard case .connectionLost? = recorded.error?.transferError else {
      Issue.record("\(String(describing: recorded.error))")
      return
    }
    let replayed = try await conversation(replay(), LoopbackTarget(server), [.text("x")])
    #expect(replayed.messages == recorded.messages)
    #expect(replayed.error?.transferError == recorded.error?.transferError)
  }

  @Test("a violation of the protocol is replayed byte for byte")
  func violation() async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        // A frame with a mask.
        socket.sendRaw([0x81, 0x81, 1, 2, 3, 4, 0x60])
        while socket.receive() != nil {}
      }
    }
    let recorded = try await conversation(recorder(), LoopbackTarget(server), [])
    // Until then, the file has another name.
    #expect(await suspendUntil { folder.names.contains { $0.hasSuffix(".json") } })
    let replayed = try await conversation(replay(), LoopbackTarget(server), [])
    #expect(recorded.error?.webSocketError != nil)
    #expect(replayed.error?.webSocketError == recorded.error?.webSocketError)
  }

  @Test("beyond its limit, a conversation continues and is not recorded")
  func limited() async throws {
    let server = try mirror()
    let messages = [
      WebSocketMessage.text("a"), .binary(Data(count: 100_000)), .binary(Data(count: 100_000)),
      .text("end"),
    ]
    let recorded = try await conversation(
      recorder(webSocketLimit: 150_000), LoopbackTarget(server), messages)
    #expect(recorded.messages.count == 6)
    let replayed = try await conversation(replay(), LoopbackTarget(server), messages)
    #expect(replayed.messages == Array(messages.prefix(2)))
    #expect(
      replayed.error?.transferError
        == .conversationNotRecorded(url: "\(server.origin)/", afterMessages: 3))
  }

  @Test("a refused handshake is replayed, and then the accepted one")
  func refused() async throws {
    let server = try mirror()
    server.route("GET", "/a") { [server] request in
      guard server.log.requestCount > 1 else { return .text("who?", status: 401) }
      return .webSocket { socket in socket.send(.text("welcome")) }
    }
    let target = LoopbackTarget(server, "/a")
    for isLive in [true, false] {
      let provider = isLive ? try recorder() : try replay()
      let error = await #expect(throws: NetworkError.self) { _ = try await provider.webSocket(target) }
      #expect(error?.response?.statusCode == 401)
      #expect(error?.response?.data == Data("who?".utf8))
      #expect(try await conversation(provider, target, []).messages == [.text("welcome")])
    }
  }

  @Test(
    "a handshake and a request to the same URL are recorded side by side",
    arguments: ["websocket", "WebSocket"])
  func handshakeBesideRequest(nextProtocol: String) async throws {
    let wire = ScriptedTransport { transfer in
      let status = transfer.request.upgradesConnection ? 426 : 200
      transfer.respond(status, "\(status)")
    }
    let plain = TransportRequest(url: "http://h/")
    var handshake = TransportRequest(url: "http://h/", headers: ["Upgrade": nextProtocol])
    handshake.upgradesConnection = true
    let recorder = try RecordingTransport(wire, folder: folder.url)
    for request in [plain, handshake] { #expect(await recorder.exchange(request).error == nil) }
    let replay = try ReplayTransport(folder: folder.url)
    #expect(await replay.exchange(plain).body == Data("200".utf8))
    #expect(await replay.exchange(handshake).body == Data("426".utf8))
  }

  @Test("a recording that cannot be written fails the connection, although the server closes it")
  func unwritable() async throws {
    let server = try mirror(1000)
    let provider = try recorder()
    try FileManager.default.removeItem(at: folder.url)
    let recorded = try await conversation(provider, LoopbackTarget(server), [.text("end")])
    guard case .other(_, let reason)? = recorded.error?.transferError else {
      Issue.record("\(String(describing: recorded.error))")
      return
    }
    #expect(reason.contains(folder.url.lastPathComponent))
  }

  @Test("a connection that cannot be recorded is cancelled, although it closes before its token is known")
  func unwritableAtOnce() throws {
    let wire = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 101, url: "http://h/", headers: [:])),
        .body(Data([0x88, 0x02, 0x03, 0xE8])))
    }
    let transport = try RecordingTransport(wire, folder: folder.url)
    try FileManager.default.removeItem(at: folder.url)
    var request = TransportRequest(url: "http://h/", headers: ["Upgrade": "websocket"])
    request.upgradesConnection = true
    let events = TransferRecorder()
    let token = transport.start(request, handler: events.record)
    #expect(wire.transfers.map(\.cancelCount) == [1])
    #expect(!events.events.isOver)
    wire.transfers[0].send(.finished(.cancelled))
    guard case .other? = events.events.error else {
      Issue.record("\(String(describing: events.events.error))")
      return
    }
    withExtendedLifetime(token) {}
  }

  @Test("a replay that is cancelled while the server is silent ends")
  func cancelledWhileSilent() async throws {
    final class SilentReader: BodyReader {
      func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? { nil }
    }
    var request = TransportRequest(
      url: "http://h/", headers: ["Upgrade": "websocket"], body: .stream(BodyStream { _ in SilentReader() }))
    request.upgradesConnection = true
    // A server that sent nothing until the client ended the connection.
    let wire = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 101, url: "http://h/", headers: [:])), .finished(.cancelled))
    }
    let recording = try RecordingTransport(wire, folder: folder.url)
    #expect(await recording.exchange(request).error == .cancelled)
    let transport = try ReplayTransport(folder: folder.url)
    let (token, recorder) = transport.record(request)
    // These exchanges are queued after the beginning of the replay, and after its end.
    _ = await transport.exchange(.init(url: "http://other/"))
    #expect(recorder.events.status == 101)
    #expect(!recorder.events.isOver)
    token.cancel()
    _ = await transport.exchange(.init(url: "http://other/"))
    #expect(recorder.events.error == .cancelled)
  }

  /// Returns a frame of a client.
  private func masked(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let key: [UInt8] = [0x11, 0x22, 0x33, 0x44]
    let content = payload.indices.map { payload[$0] ^ key[$0 & 3] }
    return [first, 0x80 | UInt8(payload.count)] + key + content
  }

  /// Returns the handshake of a client that sends some bytes, and then waits.
  private func handshake(sending bytes: [UInt8]) -> TransportRequest {
    var request = TransportRequest(
      url: "http://h/", headers: ["Upgrade": "websocket"],
      body: .stream(BodyStream(.init(length: nil) { _ in BytesReader(bytes) }, isRepeatable: true)))
    request.upgradesConnection = true
    return request
  }

  /// Replays a recording, given as JSON, to a client that sends some bytes, and then waits.
  private func replayed(_ recording: String, sending bytes: [UInt8]) async throws -> TransferRecorder.Events {
    let file = """
      {
        "request": {"method": "GET", "url": "http://h/", "upgrade": "websocket"}, "number": 0,
        "statusCode": 101, "url": "http://h/", "headers": [], "webSocket": \(recording)
      }
      """
    _ = try folder.file("a.json", containing: Data(file.utf8))
    return await (try ReplayTransport(folder: folder.url)).exchange(handshake(sending: bytes))
  }

  @Test("the replay sends back the content of a ping, and control frames do not count as messages")
  func controlFrames() async throws {
    let recording = """
      {"key": "", "frames": [{"after": 1, "kind": "text", "text": "a"}], "end": "open", "sent": 1}
      """
    let content: [UInt8] = [1, 2, 3, 4, 5, 6]
    let client = masked(0x89, content) + masked(0x8A, []) + masked(0x88, [3, 0xE8])
    let events = try await replayed(recording, sending: client)
    #expect(events.error == nil)
    #expect(Array(events.body) == [0x8A, 6] + content + [0x88, 2, 3, 0xE8])
  }

  @Test("what came after the client's close frame is replayed after it, and the close frame gets a response")
  func afterClose() async throws {
    let frame = #"{"after": 0, "afterClose": true, "kind": "text", "text": "a"}"#
    let recording = """
      {"key": "", "frames": [\(frame)], "end": "cutOff", "sent": 0, "isClosedByClient": true}
      """
    let client = masked(0x89, []) + masked(0x88, [3, 0xE8])
    let events = try await replayed(recording, sending: client)
    #expect(events.error == nil)
    #expect(Array(events.body) == [0x8A, 0, 0x81, 1, 0x61, 0x88, 2, 3, 0xE8])
  }

  @Test("a frame waits for the messages that the client had sent when it began, and not for control frames")
  func messageWithinFrame() async throws {
    let wire = ScriptedTransport()
    let recording = try RecordingTransport(wire, folder: folder.url)
    let client = masked(0x81, [0x61]) + masked(0x89, []) + masked(0x8A, [])
    let (_, recorder) = recording.record(handshake(sending: client))
    let transfer = try #require(wire.transfers.first)
    transfer.send(
      .head(ResponseHead(statusCode: 101, url: "http://h/", headers: [:])), .body(Data([0x81, 3, 0x61])))
    var reader = try transfer.request.bodyReader(onBytesAvailable: {})
    var buffer = [UInt8](repeating: 0, count: 100)
    let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(count == client.count)
    transfer.send(.body(Data([0x62, 0x63, 0x81, 1, 0x64])), .finished(.cancelled))
    #expect(await recorder.waitForEnd().error == .cancelled)
    let text = try file()
    #expect(text.contains(#""after" : 0"#))
    #expect(text.contains(#""after" : 1"#))
    #expect(text.contains(#""sent" : 1"#))
  }

  @Test(
    "a connection that ends with an error is lost in the replay, for the same reason",
    arguments: [.connectionLost(reason: "r"), .timedOut(after: .seconds(7))] as [TransferError])
  func lost(error: TransferError) async throws {
    let wire = ScriptedTransport {
      $0.send(.head(ResponseHead(statusCode: 101, url: "http://h/", headers: [:])), .finished(error))
    }
    let request = handshake(sending: [])
    #expect(await (try RecordingTransport(wire, folder: folder.url)).exchange(request).error == error)
    let reason = error == .connectionLost(reason: "r") ? "r" : error.errorDescription ?? ""
    let events = await (try ReplayTransport(folder: folder.url)).exchange(request)
    #expect(events.error == .connectionLost(reason: reason))
  }

  @Test("a pong of the server is not recorded, unless it violates the protocol")
  func serverPongs() async throws {
    let irregular: [UInt8] = [0x8A, 0x81, 1, 2, 3, 4, 5, 0x8A, 126, 0, 0, 0xCA, 0]
    let wire = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 101, url: "http://h/", headers: [:])),
        // The second pong is masked, the third has an oddly long length, and the last a reserved bit.
        .body(Data([0x8A, 1, 0x78, 0x81, 1, 0x61] + irregular)), .finished(.connectionLost(reason: "r")))
    }
    let request = handshake(sending: [])
    _ = await (try RecordingTransport(wire, folder: folder.url)).exchange(request)
    let events = await (try ReplayTransport(folder: folder.url)).exchange(request)
    #expect(Array(events.body) == [0x81, 1, 0x61] + irregular)
    #expect(events.error == .connectionLost(reason: "r"))
  }

  @Test("a connection that ends without a close frame and without an error does so in the replay")
  func endWithoutCloseFrame() async throws {
    let wire = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 101, url: "http://h/", headers: [:])),
        .body(Data([0x81, 1, 0x61])), .finished(nil))
    }
    let request = handshake(sending: [])
    #expect(await (try RecordingTransport(wire, folder: folder.url)).exchange(request).error == nil)
    let events = await (try ReplayTransport(folder: folder.url)).exchange(request)
    #expect(Array(events.body) == [0x81, 1, 0x61])
    #expect(events.error == nil)
  }

  @Test("a frame that exceeds the limit ends the recording before the frame is complete")
  func limitWithinFrame() throws {
    let wire = ScriptedTransport()
    let recording = try RecordingTransport(wire, folder: folder.url, webSocketLimit: 1_000)
    let (_, recorder) = recording.record(handshake(sending: []))
    let transfer = try #require(wire.transfers.first)
    // The beginning of a frame of 64 KiB.
    transfer.send(
      .head(ResponseHead(statusCode: 101, url: "http://h/", headers: [:])),
      .body(Data([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])), .body(Data(count: 1_000)))
    #expect(folder.names.isEmpty)
    transfer.send(.body(Data(count: 1)))
    #expect(folder.names.count == 1)
    transfer.send(.finished(nil))
    #expect(recorder.events.error == nil)
  }

  @Test("a replay that is cancelled before its head ends without it")
  func cancelledBeforeHead() async throws {
    let wire = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 101, url: "http://h/", headers: [:])), .finished(.cancelled))
    }
    let request = handshake(sending: [])
    #expect(await (try RecordingTransport(wire, folder: folder.url)).exchange(request).error == .cancelled)
    let transport = try ReplayTransport(folder: folder.url)
    let isCancelled = DispatchSemaphore(value: 0)
    // The replay is queued after this exchange, whose handler waits.
    let earlier = transport.start(.init(url: "http://other/")) { _ in isCancelled.wait() }
    let (token, recorder) = transport.record(request)
    token.cancel()
    isCancelled.signal()
    let events = await recorder.waitForEnd()
    #expect(events.error == .cancelled)
    #expect(events.heads == 0)
    withExtendedLifetime(earlier) {}
  }

  @Test("a cancelled replay releases the client's reader, although its token is kept")
  func releasedReader() async throws {
    final class SilentReader: BodyReader {
      private let log: Log
      init(_ log: Log) { self.log = log }
      deinit { log("released") }
      func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? { nil }
    }
    let log = Log()
    var request = TransportRequest(
      url: "http://h/", headers: ["Upgrade": "websocket"],
      body: .stream(BodyStream(.init(length: nil) { _ in SilentReader(log) }, isRepeatable: true)))
    request.upgradesConnection = true
    let file = """
      {
        "request": {"method": "GET", "url": "http://h/", "upgrade": "websocket"}, "number": 0,
        "statusCode": 101, "url": "http://h/", "headers": [],
        "webSocket": {"key": "", "frames": [], "end": "open", "sent": 0}
      }
      """
    _ = try folder.file("a.json", containing: Data(file.utf8))
    let transport = try ReplayTransport(folder: folder.url)
    let (token, recorder) = transport.record(request)
    // These exchanges are queued after the beginning of the replay, and after its end.
    _ = await transport.exchange(.init(url: "http://other/"))
    #expect(recorder.events.status == 101)
    #expect(log.all.isEmpty)
    token.cancel()
    _ = await transport.exchange(.init(url: "http://other/"))
    #expect(recorder.events.error == .cancelled)
    #expect(log.all == ["released"])
    withExtendedLifetime(token) {}
  }

  @Test("a connection that switches to another protocol is passed on, and not recorded")
  func otherProtocol() async throws {
    let wire = ScriptedTransport { $0.respond(101, "bytes") }
    var request = TransportRequest(url: "http://h/", headers: ["Upgrade": "h2c"])
    request.upgradesConnection = true
    let events = await (try RecordingTransport(wire, folder: folder.url)).exchange(request)
    #expect(events.error == nil)
    #expect(events.body == Data("bytes".utf8))
    #expect(folder.names.isEmpty)
  }

  @Test("the replay responds to pings, so that a silent conversation goes on")
  func pings() async throws {
    let server = try mirror()
    let messages = [WebSocketMessage.text("a"), .text("end")]
    let recorded = try await conversation(recorder(), LoopbackTarget(server), messages)
    let time = ManualDelayScheduler()
    let transport = try ReplayTransport(folder: folder.url)
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, scheduler: time)
    let socket = try await provider.webSocket(LoopbackTarget(server))
    for _ in 0..<3 {
      time.advance(by: .seconds(30))
      // Queued after the response to the ping.
      _ = await transport.exchange(.init(url: "http://other/"))
    }
    for message in messages { try await socket.send(message) }
    var received: [WebSocketMessage] = []
    let error = await #expect(throws: NetworkError.self) {
      for try await message in socket { received.append(message) }
    }
    #expect(received == recorded.messages)
    #expect(error?.webSocketError == recorded.error?.webSocketError)
  }
}

/// Provides bytes, and then none without an end.
private final class BytesReader: BodyReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let piece = rest.prefix(buffer.count)
    buffer.copyBytes(from: piece)
    rest = rest.dropFirst(piece.count)
    return piece.isEmpty ? nil : piece.count
  }
}

extension NetworkError {
  fileprivate var webSocketError: WebSocketError? {
    guard case .underlying(let error, _) = self else { return nil }
    return error as? WebSocketError
  }
}
