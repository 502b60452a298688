import Dispatch
import Foundation
import LoopbackServer
import class MoyaCompatibility.Adapter
import class MoyaCompatibility.Retrier
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("WebSocket", .timeLimit(.minutes(5)))
struct WebSocketTests {
  /// A server that sends every message back.
  private static func echo() throws -> LoopbackServer {
    try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
      }
    }
  }

  private func provider(
    plugins: [any PluginType] = [], interceptors: [any RequestInterceptor] = [],
    scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) throws -> NetworkProvider<LoopbackTarget> {
    NetworkProvider(
      transport: try CurlTransport(), plugins: plugins, interceptors: interceptors, scheduler: scheduler)
  }

  /// The reason why opening fails.
  private func failure(
    _ provider: NetworkProvider<LoopbackTarget>, _ target: LoopbackTarget,
    options: WebSocketOptions = WebSocketOptions()
  ) async -> NetworkError? {
    do {
      _ = try await provider.webSocket(target, options: options)
      return nil
    } catch {
      return error
    }
  }

  /// Reads to the end; returns the messages and the error.
  private func read(_ socket: WebSocket) async -> (messages: [WebSocketMessage], error: NetworkError?) {
    var messages: [WebSocketMessage] = []
    do {
      for try await message in socket { messages.append(message) }
      return (messages, nil)
    } catch {
      return (messages, error)
    }
  }

  @Test("messages of every length come back unchanged, and the close handshake ends both sides")
  func echoes() async throws {
    let server = try Self.echo()
    let socket = try await provider().webSocket(LoopbackTarget(server))
    #expect(socket.response.statusCode == 101)
    var iterator = socket.makeAsyncIterator()
    let sizes = [0, 1, 125, 126, 65_535, 65_536, 1_000_003]
    for size in sizes {
      let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      try await socket.send(.binary(bytes))
      let isEqual = try await iterator.next() == .binary(bytes)
      #expect(isEqual, "\(size) bytes")
    }
    try await socket.send(.text("žluťoučký 🐎"))
    #expect(try await iterator.next() == .text("žluťoučký 🐎"))
    socket.close(code: .normalClosure, reason: "done")
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
    try await server.log { $0.openConnections == 0 }
  }

  @Test("the server sees a masked frame for each message, and the close code and reason")
  func frames() async throws {
    let seen = Lock(
      (frames: [LoopbackServer.WebSocket.Frame](), closing: nil as LoopbackServer.WebSocket.Closing?))
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while socket.receive() != nil {}
        seen.withLock { $0 = (socket.frames, socket.closing) }
      }
    }
    let socket = try await provider().webSocket(LoopbackTarget(server))
    try await socket.send(.text("one"))
    try await socket.send(.binary(Data([1, 2])))
    socket.close(code: WebSocketCloseCode(rawValue: 4001), reason: "bye")
    #expect(await read(socket).error == nil)
    try await server.log { $0.openConnections == 0 }
    let (frames, closing) = seen.withLock { $0 }
    #expect(frames.map(\.opcode) == [1, 2, 8])
    #expect(frames.map(\.isMasked) == [true, true, true])
    #expect(frames[0].payload == Array("one".utf8))
    #expect(closing?.code == 4001)
    #expect(closing?.reason == "bye")
  }

  @Test("the handshake has the fields of RFC 6455, and those of the target, and accepts ws as a scheme")
  func handshake() async throws {
    let server = try LoopbackServer { _ in .webSocket(subprotocol: "v2.chat") { _ in } }
    let base = try #require(URL(string: "ws://127.0.0.1:\(server.port)"))
    let target = LoopbackTarget(base, "/chat").with { $0.headers = ["X-Room": "7"] }
    let socket = try await provider().webSocket(
      target, options: WebSocketOptions(subprotocols: ["v1.chat", "v2.chat"]))
    #expect(socket.subprotocol == "v2.chat")
    let request = try #require(server.log.requests.first)
    #expect(request.method == "GET")
    #expect(request.path == "/chat")
    #expect(request.headers["Upgrade"] == "websocket")
    #expect(request.headers["Connection"] == "Upgrade")
    #expect(request.headers["Sec-WebSocket-Version"] == "13")
    #expect(request.headers["Sec-WebSocket-Protocol"] == "v1.chat, v2.chat")
    #expect(request.headers["X-Room"] == "7")
    #expect(request.headers["Transfer-Encoding"] == nil)
    #expect(request.headers["Content-Length"] == nil)
    #expect(request.headers["Sec-WebSocket-Key"].flatMap { Data(base64Encoded: $0) }?.count == 16)
  }

  @Test("a refused handshake fails with the status and the body")
  func refusal() async throws {
    let server = try LoopbackServer { _ in .text("no such room", status: 403) }
    let error = await failure(try provider(), LoopbackTarget(server))
    guard case .statusCode(let response)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(response.statusCode == 403)
    #expect(try response.mapString() == "no such room")
  }

  @Test(
    "an invalid handshake fails at once",
    arguments: [
      ("Sec-WebSocket-Accept", "x"), ("Upgrade", "h2c"), ("Connection", "close"),
      ("Sec-WebSocket-Protocol", "unknown"), ("Sec-WebSocket-Extensions", "x-unknown"),
    ])
  func invalidHandshake(field: String, value: String) async throws {
    let server = try LoopbackServer { _ in .webSocket { $0.waitForEnd() }.header(field, value) }
    let error = await failure(try provider(), LoopbackTarget(server))
    guard case .underlying(WebSocketError.invalidHandshake, let response)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(response?.statusCode == 101)
    try await server.log { $0.openConnections == 0 }
  }

  @Test("what follows a refused handshake is not read")
  func bytesAfterInvalidHandshake() async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.close(code: 1000)
        socket.waitForEnd()
      }.header("Sec-WebSocket-Protocol", "unknown")
    }
    // The request cannot be cancelled before a part of the body has arrived.
    let transport = LateTokenLayer(wrapped: try CurlTransport()) { event in
      if case .body = event { true } else { false }
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let error = await failure(provider, LoopbackTarget(server))
    guard case .underlying(WebSocketError.invalidHandshake, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("interceptors retry a handshake, and a redirect is followed")
  func retriedHandshake() async throws {
    let count = Lock(0)
    let server = try LoopbackServer { request in
      guard request.path == "/socket" else { return .redirect(to: "/socket") }
      guard request.headers["Authorization"] == "Bearer 2" else { return .text("expired", status: 401) }
      return .webSocket { socket in socket.send(.text("welcome")) }
    }
    let adapter = Adapter { request, _, done in
      var request = request
      request.setValue("Bearer \(count.withLock { $0 })", forHTTPHeaderField: "Authorization")
      done(.success(request))
    }
    let retrier = Retrier { _, _, _, done in
      let number = count.withLock { count in
        count += 1
        return count
      }
      done(number <= 2 ? .retry : .doNotRetry)
    }
    let socket = try await provider(interceptors: [adapter, retrier]).webSocket(
      LoopbackTarget(server, "/start"))
    let (messages, error) = await read(socket)
    #expect(messages == [.text("welcome")])
    #expect(error == nil)
    let handshakes = server.log.requests.filter { $0.path == "/socket" }
    #expect(handshakes.count == 3)
    // Each connection has a key of its own (RFC 6455, section 4.1).
    #expect(Set(handshakes.map { $0.headers["Sec-WebSocket-Key"] }).count == 3)
  }

  @Test("a redirected handshake keeps what is sent afterwards", arguments: [301, 302, 303, 307, 308])
  func redirectedHandshake(status: Int) async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/socket" else { return .redirect(to: "/socket", status: status) }
      return .webSocket { socket in
        if let message = socket.receive() { socket.send(message) }
      }
    }
    let socket = try await provider().webSocket(LoopbackTarget(server, "/start"))
    try await socket.send(.text("hello"))
    let (messages, error) = await read(socket)
    #expect(messages == [.text("hello")])
    #expect(error == nil)
  }

  @Test("the answer to a message does not overtake the pong for a ping that came with it")
  func pongsFirst() async throws {
    let opcodes = Lock([UInt8]())
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.sendRaw([0x81, 1, 0x61, 0x89, 0])
        while socket.receive() != nil {}
        opcodes.withLock { $0 = socket.frames.map(\.opcode) }
      }
    }
    let connection = Lock(nil as WebSocketConnection?)
    try provider().webSocket(LoopbackTarget(server), callbackQueue: .transport) { event in
      switch event {
      case .opened(let opened, _): connection.withLock { $0 = opened }
      case .message(let message):
        let opened = connection.withLock { $0 }
        opened?.send(message)
        opened?.close()
      case .finished: break
      }
    }
    try await server.log { $0.requestCount == 1 && $0.openConnections == 0 }
    #expect(opcodes.withLock { $0 } == [10, 1, 8])
  }

  @Test("fragments with control frames in between are one message, and each ping is answered")
  func fragments() async throws {
    let pongs = Lock([[UInt8]]())
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.sendRaw([0x01, 2] + Array("Hé".utf8.prefix(2)))
        socket.ping([1, 2, 3])
        socket.sendRaw([0x80, 3] + Array("Hé".utf8.suffix(1)) + Array("!!".utf8))
        while socket.receive() != nil {}
        pongs.withLock { $0 = socket.frames.filter { $0.opcode == 10 }.map(\.payload) }
      }
    }
    let socket = try await provider().webSocket(LoopbackTarget(server))
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("Hé!!"))
    socket.close()
    #expect(try await iterator.next() == nil)
    try await server.log { $0.openConnections == 0 }
    #expect(pongs.withLock { $0 } == [[1, 2, 3]])
  }

  @Test(
    "a violation of the protocol fails after the messages before it, and the server gets its code",
    arguments: [
      ([0x83, 0], 1002), ([0xC1, 1, 65], 1002), ([0x81, 0x81, 0, 0, 0, 0, 65], 1002), ([0x09, 0], 1002),
      ([0x80, 0], 1002), ([0x89, 126, 0, 126], 1002), ([0x81, 2, 0xC3, 0x28], 1007),
      ([0x81, 1, 0xE2], 1007), ([0x88, 1, 3], 1002), ([0x88, 2, 3, 0xED], 1002),
      ([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0], 1009), ([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002),
      ([0x01, 1, 65, 0x81, 1, 66, 0x88, 2, 3, 0xE8], 1002), ([0x88, 3, 3, 0xE8, 0xFF], 1007),
      ([0x81, 3, 0xED, 0xA0, 0x80, 0x88, 2, 3, 0xE8], 1007),
      ([0x81, 4, 0xF4, 0x90, 0x80, 0x80, 0x88, 2, 3, 0xE8], 1007),
      ([0x81, 3, 0xE0, 0x80, 0x80, 0x88, 2, 3, 0xE8], 1007),
      ([0x81, 2, 0xC0, 0x80, 0x88, 2, 3, 0xE8], 1007), ([0x81, 2, 0xC1, 0xBF, 0x88, 2, 3, 0xE8], 1007),
      ([0x81, 3, 0xE0, 0x9F, 0xBF, 0x88, 2, 3, 0xE8], 1007),
      ([0x81, 4, 0xF0, 0x8F, 0xBF, 0xBF, 0x88, 2, 3, 0xE8], 1007),
      ([0x81, 4, 0xF5, 0x80, 0x80, 0x80, 0x88, 2, 3, 0xE8], 1007),
    ] as [([UInt8], UInt16)])
  func violations(bytes: [UInt8], code: UInt16) async throws {
    let closing = Lock(nil as LoopbackServer.WebSocket.Closing?)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.send(.text("before"))
        socket.sendRaw(bytes)
        while socket.receive() != nil {}
        closing.withLock { $0 = socket.closing }
      }
    }
    // The client closes when the messages have been read, for which a busy machine may need long.
    let socket = try await provider().webSocket(
      LoopbackTarget(server), options: .init(closeTimeout: .seconds(240)))
    let (messages, error) = await read(socket)
    #expect(messages == [.text("before")])
    switch error {
    case .underlying(WebSocketError.protocolViolation(let found, _), _)?: #expect(found.rawValue == code)
    case .underlying(WebSocketError.messageTooLong(let limit), _)?:
      #expect(code == 1009 && limit == 16 << 20)
    default: Issue.record("\(String(describing: error))")
    }
    try await server.log { $0.openConnections == 0 }
    #expect(closing.withLock { $0?.code } == code)
  }

  @Test(
    "a length that is not in the shortest form is a violation",
    arguments: [
      ([0x82, 126, 0, 125], 125), ([0x82, 127, 0, 0, 0, 0, 0, 0, 0, 126], 126), ([0x89, 126, 0, 0], 0),
      ([0x8A, 127, 0, 0, 0, 0, 0, 0, 0, 0], 0),
    ] as [([UInt8], Int)])
  func longForm(head: [UInt8], length: Int) async throws {
    let close: [UInt8] = [0x88, 2, 3, 0xE8]
    try await violations(bytes: head + [UInt8](repeating: 65, count: length) + close, code: 1002)
  }

  @Test("a byte that is not UTF-8 is found at each place of a text", arguments: 0..<8)
  func invalidByte(index: Int) async throws {
    var text = [UInt8](repeating: 65, count: 16)
    text[8 + index] = 0xFF
    let close: [UInt8] = [0x88, 2, 3, 0xE8]
    try await violations(bytes: [0x81, 16] + text + close, code: 1007)
  }

  @Test("a message that came before a violation can still be answered")
  func answerBeforeClose() async throws {
    let opcodes = Lock([UInt8]())
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.sendRaw([0x81, 1, 65, 0x83, 0])
        while socket.receive() != nil {}
        opcodes.withLock { $0 = socket.frames.map(\.opcode) }
      }
    }
    // The client closes when the messages have been read, for which a busy machine may need long.
    let socket = try await provider().webSocket(
      LoopbackTarget(server), options: .init(closeTimeout: .seconds(240)))
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("A"))
    try await socket.send(.text("B"))
    #expect(await read(socket).error != nil)
    try await server.log { $0.openConnections == 0 }
    #expect(opcodes.withLock { $0 } == [1, 8])
  }

  @Test(
    "the server's close code ends the sequence or fails it",
    arguments: [(nil, nil), (1000, nil), (1001, nil), (1011, 1011), (4000, 4000)] as [(UInt16?, UInt16?)])
  func closing(code: UInt16?, failing: UInt16?) async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.send(.text("last"))
        socket.close(code: code, reason: "so")
        while socket.receive() != nil {}
      }
    }
    let socket = try await provider().webSocket(LoopbackTarget(server))
    let (messages, error) = await read(socket)
    #expect(messages == [.text("last")])
    if let failing {
      guard case .underlying(let cause, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(
        cause as? WebSocketError == .closed(code: WebSocketCloseCode(rawValue: failing), reason: "so"))
    } else {
      #expect(error == nil)
    }
    await #expect(throws: NetworkError.self) { try await socket.send(.text("late")) }
    try await server.log { $0.openConnections == 0 }
  }

  @Test(
    "after close(), the same code, 1000, 1001 or none is success, another one is the server's reason",
    arguments: [
      (1000, 1000, true), (4001, 4001, true), (4001, 1000, true), (1000, nil, true), (1000, 1011, false),
      (1000, 4001, false),
    ] as [(UInt16, UInt16?, Bool)])
  func closedByBoth(code: UInt16, response: UInt16?, isClean: Bool) async throws {
    let hasClosed = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        hasClosed.wait()
        socket.close(code: response, reason: "so")
        while socket.receive() != nil {}
      }
    }
    let socket = try await provider().webSocket(LoopbackTarget(server))
    socket.close(code: WebSocketCloseCode(rawValue: code))
    hasClosed.signal()
    let error = await read(socket).error
    let reason = WebSocketError.closed(code: response.map(WebSocketCloseCode.init(rawValue:)), reason: "so")
    #expect(error?.underlyingError as? WebSocketError == (isClean ? nil : reason))
    #expect((error == nil) == isClean)
    try await server.log { $0.openConnections == 0 }
  }

  @Test(
    "a code that a close frame must not have is replaced by 1000",
    arguments: [999, 1004, 1005, 1006, 1015, 5000] as [UInt16])
  func reservedCode(code: UInt16) async throws {
    let closing = Lock(nil as LoopbackServer.WebSocket.Closing?)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while socket.receive() != nil {}
        closing.withLock { $0 = socket.closing }
      }
    }
    let socket = try await provider().webSocket(LoopbackTarget(server))
    socket.close(code: WebSocketCloseCode(rawValue: code))
    #expect(await read(socket).error == nil)
    try await server.log { $0.openConnections == 0 }
    #expect(closing.withLock { $0?.code } == 1000)
  }

  @Test("an error prints the server's words without secrets")
  func redactedReasons() {
    let reason = "see https://me:pw1234@host/?access_token=abc123"
    let errors: [WebSocketError] = [
      .closed(code: .policyViolation, reason: reason), .invalidHandshake(reason: reason),
    ]
    for error in errors {
      for text in [
        "\(error)", String(reflecting: error), error.localizedDescription,
        "\(Mirror(reflecting: error).children.map(\.value))",
      ] {
        #expect(!text.contains("pw1234") && !text.contains("abc123") && text.contains("host"), "\(text)")
      }
    }
  }

  @Test("a connection that breaks is lost, also in the middle of a message")
  func lost() async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.sendRaw([0x82, 10, 1, 2, 3])
        socket.abort()
      }
    }
    let socket = try await provider().webSocket(LoopbackTarget(server))
    let (messages, error) = await read(socket)
    #expect(messages.isEmpty)
    guard case .connectionLost? = error?.transferError else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a connection that breaks right after the handshake says so")
  func lostAtOnce() async throws {
    let server = try LoopbackServer { _ in .webSocket { socket in socket.abort() } }
    let socket = try await provider().webSocket(LoopbackTarget(server))
    let (_, error) = await read(socket)
    let text = error?.localizedDescription ?? ""
    #expect(!text.contains("Empty reply"))
    #expect(text.contains("closed it"))
  }

  @Test("releasing the socket closes with 1001, also while the server sends a message")
  func released() async throws {
    let closing = Lock(nil as LoopbackServer.WebSocket.Closing?)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.sendRaw([0x82, 10, 1, 2, 3])
        while socket.receive() != nil {}
        closing.withLock { $0 = socket.closing }
      }
    }
    do {
      let socket = try await provider().webSocket(LoopbackTarget(server))
      try await socket.send(.text("hello"))
    }
    try await server.log { $0.openConnections == 0 }
    #expect(closing.withLock { $0?.code } == 1001)
  }

  @Test("cancelling the task that waits for a message ends it with cancelled, and closes")
  func cancelledTask() async throws {
    let server = try Self.echo()
    let socket = try await provider().webSocket(LoopbackTarget(server))
    let task = Task { await read(socket) }
    task.cancel()
    let error = await task.value.error
    #expect(error?.isCancelled == true)
    try await server.log { $0.openConnections == 0 }
    let cancelled = Task { [self] in
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure(try provider(), LoopbackTarget(server))
    }
    #expect(try await cancelled.value?.isCancelled == true)
    #expect(server.log.requestCount == 1)
  }

  @Test("a slow receiver makes the server wait, and nothing is lost")
  func backPressure() async throws {
    let sent = Lock(0)
    let (count, size) = (4_000, 16_384)
    var serverOptions = LoopbackServer.Options()
    serverOptions.sendBufferSize = 65_536
    let server = try LoopbackServer(options: serverOptions) { request in
      guard request.path != "/plain" else { return .status(204) }
      return .webSocket { socket in
        for number in 0..<count {
          socket.send(.binary([UInt8](repeating: UInt8(number & 0xFF), count: size)))
          sent.withLock { $0 = number + 1 }
        }
      }
    }
    let provider = try provider()
    let socket = try await provider.webSocket(LoopbackTarget(server))
    // While these are exchanged, a server that need not wait sends everything.
    for _ in 0..<500 { _ = try await provider.response(for: LoopbackTarget(server, "/plain")) }
    let now = sent.withLock { $0 }
    #expect(now < count / 2, "the server sent \(now) messages to a receiver that takes none")
    let (messages, error) = await read(socket)
    #expect(error == nil)
    #expect(messages.count == count)
    let areInOrder = messages.enumerated().allSatisfy { number, message in
      message.data.first == UInt8(number & 0xFF) && message.byteCount == size
    }
    #expect(areInOrder)
  }

  @Test("what waits to be sent is bounded, and a server that reads nothing makes the sender wait")
  func sendQueueLimit() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        gate.wait()
        while socket.receive() != nil {}
      }
    }
    let events = Lock([String]())
    let ended = AsyncStream.makeStream(of: Void.self)
    try provider().webSocket(LoopbackTarget(server), options: WebSocketOptions(sendQueueLimit: 1 << 20)) {
      event in
      switch event {
      case .opened(let connection, _):
        let piece = WebSocketMessage.binary(Data(count: 1 << 18))
        for number in 0..<200 {
          connection.send(piece) { error in
            if error == .sendQueueFull(limit: 1 << 20) { events.withLock { $0.append("full \(number)") } }
          }
        }
        gate.signal()
        connection.close()
      case .message: break
      case .finished(let error):
        events.withLock { $0.append("finished \(error == nil)") }
        ended.continuation.finish()
      }
    }
    for await _ in ended.stream {}
    let all = events.withLock { $0 }
    #expect(all.last == "finished true")
    #expect(all.contains("full 199"))
    #expect(!all.contains("full 0"))
  }

  @Test("a completion that blocks delays no other request")
  func blockedCompletion() async throws {
    let server = try LoopbackServer { request in
      request.path == "/plain" ? .text("done") : .webSocket { $0.waitForEnd() }
    }
    let provider = try provider()
    let gate = DispatchSemaphore(value: 0)
    let (sent, sending) = AsyncStream.makeStream(of: Void.self)
    let connection = provider.webSocket(LoopbackTarget(server)) { event in
      guard case .opened(let connection, _) = event else { return }
      connection.send(.text("hello")) { _ in
        sending.finish()
        gate.wait()
      }
    }
    for await _ in sent {}
    #expect(try await provider.response(for: LoopbackTarget(server, "/plain")).statusCode == 200)
    gate.signal()
    connection.cancel()
  }

  @Test("a server that sends pings and reads nothing does not fill the memory with pongs")
  func unreadPongs() async throws {
    let pongs = Lock(0)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        let pings = (0..<1_000).flatMap { _ in [0x89, 125] + [UInt8](repeating: 1, count: 125) }
        for _ in 0..<200 { socket.sendRaw(pings) }
        socket.send(.text("done"))
        while socket.receive() != nil {}
        pongs.withLock { $0 = socket.frames.filter { $0.opcode == 10 }.count }
      }
    }
    let socket = try await provider().webSocket(
      LoopbackTarget(server), options: WebSocketOptions(sendQueueLimit: 65_536))
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("done"))
    socket.close()
    #expect(try await iterator.next() == nil)
    try await server.log { $0.openConnections == 0 }
    // 200,000 pings were sent; the pongs that fit into the buffers of the system are fewer.
    #expect((1..<100_000).contains(pongs.withLock { $0 }))
  }

  @Test("a server that does not answer pings fails the connection, in virtual time")
  func keepAlive() async throws {
    let scheduler = ManualDelayScheduler()
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.send(.text("ready"))
        socket.waitForEnd()
      }
    }
    let socket = try await provider(scheduler: scheduler).webSocket(
      LoopbackTarget(server), options: WebSocketOptions(pingInterval: .seconds(20)))
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("ready"))
    scheduler.advance(by: .seconds(20))
    scheduler.advance(by: .seconds(19))
    try await socket.send(.text("still open"))
    scheduler.advance(by: .seconds(1))
    let error = await read(socket).error
    guard case .underlying(let cause, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause as? WebSocketError == .noPong(after: .seconds(20)))
    try await server.log { $0.openConnections == 0 }
  }

  @Test("a server that does not answer a close frame is an error after the close timeout, in virtual time")
  func closeTimeout() async throws {
    let scheduler = ManualDelayScheduler()
    let server = try LoopbackServer { _ in .webSocket { $0.waitForEnd() } }
    let provider = try provider(scheduler: scheduler)
    let socket = try await provider.webSocket(
      LoopbackTarget(server), options: WebSocketOptions(closeTimeout: .seconds(3)))
    socket.close()
    #expect(await suspendUntil { provider.transport.gauges?.bodyBytesSent == 8 })
    scheduler.advance(by: .seconds(3))
    #expect(await read(socket).error?.transferError == .timedOut(.idle, after: .seconds(3)))
    try await server.log { $0.openConnections == 0 }
  }

  @Test(
    "the connection is cut one close timeout after the close frame, whoever closes, in virtual time",
    arguments: [true, false])
  func cutAfterClose(isServer: Bool) async throws {
    let scheduler = ManualDelayScheduler()
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        if isServer { socket.close(code: 1000) }
        socket.waitForEnd()
      }
    }
    let provider = try provider(scheduler: scheduler)
    // An idle limit, which applies without pings, would also close the connection.
    var socket: WebSocket? = try await provider.webSocket(
      LoopbackTarget(server).with { $0.timeout = .zero },
      options: WebSocketOptions(pingInterval: .zero, closeTimeout: .seconds(3)))
    if !isServer { socket = nil }
    // The wait for the server may begin after the close frame has left.
    #expect(
      await suspendUntil {
        provider.transport.gauges?.bodyBytesSent == 8 && scheduler.pendingCount == 1
      })
    #expect(server.log.openConnections == 1)
    scheduler.advance(by: .seconds(3))
    try await server.log { $0.openConnections == 0 }
    withExtendedLifetime(socket) {}
  }

  /// Delivers the body of a response in pieces of given sizes.
  private final class ResizingTransport: TransportLayer {
    let wrapped: any Transport
    private let sizes: [Int]

    init(_ transport: any Transport, sizes: [Int]) { (wrapped, self.sizes) = (transport, sizes) }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      let state = Lock((unread: Data(), sizes: sizes))
      return wrapped.start(request) { event in
        guard case .body(let bytes) = event else { return handler(event) }
        let pieces = state.withLock { state in
          state.unread += bytes
          var pieces: [Data] = []
          while let size = state.sizes.first, state.unread.count >= size {
            pieces.append(state.unread.prefix(size))
            state.unread.removeFirst(size)
            state.sizes.removeFirst()
          }
          return pieces
        }
        for piece in pieces { handler(.body(piece)) }
      }
    }
  }

  @Test("messages that nobody takes do not keep the connection after the close frame, in virtual time")
  func cutAfterUnreadMessages() async throws {
    let scheduler = ManualDelayScheduler()
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        for count in [200_000, 100_000] { socket.send(.binary([UInt8](repeating: 0, count: count))) }
        socket.close(code: 1000)
        socket.waitForEnd()
      }
    }
    // The frames of the second message, with which reading would stop, and of the end arrive together.
    let transport = ResizingTransport(try CurlTransport(), sizes: [200_010, 100_014])
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, scheduler: scheduler)
    // An idle limit, which applies without pings, would also close the connection.
    let socket = try await provider.webSocket(
      LoopbackTarget(server).with { $0.timeout = .zero },
      options: WebSocketOptions(offersCompression: false, pingInterval: .zero, closeTimeout: .seconds(3)))
    // The wait for the server may begin after the close frame has left.
    #expect(await suspendUntil { transport.gauges?.bodyBytesSent == 8 && scheduler.pendingCount == 1 })
    #expect(server.log.openConnections == 1)
    scheduler.advance(by: .seconds(3))
    try await server.log { $0.openConnections == 0 }
    var iterator = socket.makeAsyncIterator()
    for count in [200_000, 100_000] { #expect(try await iterator.next() == .binary(Data(count: count))) }
    #expect(try await iterator.next() == nil)
  }

  /// More than the system's buffers of a connection hold.
  fileprivate static let longMessage = WebSocketMessage.binary(Data(repeating: 7, count: 12 << 20))

  /// A server that reads a message whenever it is asked to, and reports each.
  private final class SlowReader: Sendable {
    let mayRead = DispatchSemaphore(value: 0)
    let received: AsyncStream<Int>
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sock").path
    private let server: LoopbackServer

    /// Starts a server on a Unix domain socket, whose buffers hold much less than a long message.
    init() throws {
      let reports: AsyncStream<Int>.Continuation
      (received, reports) = AsyncStream.makeStream()
      server = try LoopbackServer(on: .unix(path: path)) { [mayRead] _ in
        .webSocket { socket in
          while true {
            mayRead.wait()
            guard let message = socket.receive() else { return reports.finish() }
            switch message {
            case .text(let text): reports.yield(text.utf8.count)
            case .binary(let bytes): reports.yield(bytes.count)
            }
          }
        }
      }
    }

    deinit { _ = try? FileManager.default.removeItem(atPath: path) }

    var target: LoopbackTarget {
      get throws {
        let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return LoopbackTarget(try #require(URL(string: "http+unix://\(host)")))
      }
    }
  }

  /// A connection on which long messages are sent at once, and its end.
  private final class Flood: Sendable {
    private let state = Lock(
      (connection: nil as WebSocketConnection?, end: nil as Result<Void, NetworkError>?))

    /// The result; waits for it.
    var end: Result<Void, NetworkError>? {
      get async {
        await suspendUntil { hasEnded }
        return state.withLock { $0.end }
      }
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    func connection(
      to target: LoopbackTarget, _ provider: NetworkProvider<LoopbackTarget>, messages: Int,
      pingInterval: Duration
    ) async throws -> WebSocketConnection {
      let options = WebSocketOptions(
        offersCompression: false, sendQueueLimit: 64 << 20, pingInterval: pingInterval,
        closeTimeout: .seconds(3))
      _ = provider.webSocket(target, options: options) { [self] event in
        switch event {
        case .opened(let connection, _): state.withLock { $0.connection = connection }
        case .message: break
        case .finished(let error): state.withLock { $0.end = error.map { .failure($0) } ?? .success(()) }
        }
      }
      await suspendUntil { state.withLock { $0.connection != nil } }
      let connection = try #require(state.withLock { $0.connection })
      for _ in 0..<messages { connection.send(longMessage) }
      return connection
    }
  }

  @Test(
    "what waits at close() is sent as long as some of it leaves within the close timeout, in virtual time")
  func slowClose() async throws {
    let scheduler = ManualDelayScheduler()
    let reader = try SlowReader()
    let flood = Flood()
    let connection = try await flood.connection(
      to: try reader.target, provider(scheduler: scheduler), messages: 3, pingInterval: .zero)
    var messages = reader.received.makeAsyncIterator()
    reader.mayRead.signal()
    #expect(await messages.next() == 12 << 20)
    connection.close()
    reader.mayRead.signal()
    #expect(await messages.next() == 12 << 20)
    scheduler.advance(by: .seconds(3))
    reader.mayRead.signal()
    #expect(await messages.next() == 12 << 20)
    reader.mayRead.signal()
    try await flood.end?.get()
  }

  @Test("the server has the close timeout after the close frame, in virtual time", arguments: [2, 3])
  func timeAfterCloseFrame(seconds: TimeInterval) async throws {
    let scheduler = ManualDelayScheduler()
    let reader = try SlowReader()
    let flood = Flood()
    let provider = try provider(scheduler: scheduler)
    let connection = try await flood.connection(
      to: try reader.target, provider, messages: 2, pingInterval: .zero)
    connection.close()
    scheduler.advance(by: .seconds(2))
    var messages = reader.received.makeAsyncIterator()
    for _ in 0..<2 {
      reader.mayRead.signal()
      #expect(await messages.next() == 12 << 20)
    }
    // The messages with 14 bytes each, and the close frame.
    #expect(await suspendUntil { provider.transport.gauges?.bodyBytesSent == 24 << 20 + 36 })
    scheduler.advance(by: .seconds(seconds))
    reader.mayRead.signal()
    let end = await flood.end
    if seconds < 3 { return try #require(end).get() }
    let error = #expect(throws: NetworkError.self) { try end?.get() }
    #expect(error?.transferError == .timedOut(.idle, after: .seconds(3)))
  }

  @Test("a slow receiver gets everything after close(), in virtual time")
  func slowReceiver() async throws {
    let scheduler = ManualDelayScheduler()
    let message = String(repeating: "a", count: 100_000)
    let mayClose = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        for _ in 0..<20 { socket.send(.text(message)) }
        mayClose.wait()
        while socket.receive() != nil {}
      }
    }
    let provider = try provider(scheduler: scheduler)
    let socket = try await provider.webSocket(
      LoopbackTarget(server), options: WebSocketOptions(offersCompression: false, closeTimeout: .seconds(3)))
    // Three messages have been read then, more than 256 KiB: the rest waits in buffers of less than 200 kB.
    #expect(await suspendUntil { (provider.transport.gauges?.bodyBytesReceived ?? 0) > 560_000 })
    socket.close()
    #expect(await suspendUntil { provider.transport.gauges?.bodyBytesSent == 8 })
    scheduler.advance(by: .seconds(20))
    var iterator = socket.makeAsyncIterator()
    for _ in 0..<19 { #expect(try await iterator.next() == .text(message)) }
    // Reading has begun again, and so has the time.
    scheduler.advance(by: .seconds(2))
    mayClose.signal()
    #expect(try await iterator.next() == .text(message))
    #expect(try await iterator.next() == nil)
  }

  @Test("messages that still wait when nothing has left for the close timeout are an error, in virtual time")
  func stalledClose() async throws {
    let scheduler = ManualDelayScheduler()
    let reader = try SlowReader()
    let flood = Flood()
    let connection = try await flood.connection(
      to: try reader.target, provider(scheduler: scheduler), messages: 2, pingInterval: .zero)
    connection.close()
    await suspendUntil {
      scheduler.advance(by: .seconds(3))
      return flood.hasEnded
    }
    let end = await flood.end
    let error = #expect(throws: NetworkError.self) { try end?.get() }
    #expect(error?.transferError == .timedOut(after: .seconds(3)))
    reader.mayRead.signal()
  }

  @Test("a server that receives a long message need not answer a ping behind it, in virtual time")
  func pingBehindMessage() async throws {
    let scheduler = ManualDelayScheduler()
    let reader = try SlowReader()
    let flood = Flood()
    let connection = try await flood.connection(
      to: try reader.target, provider(scheduler: scheduler), messages: 3, pingInterval: .seconds(20))
    var messages = reader.received.makeAsyncIterator()
    for _ in 0..<3 {
      reader.mayRead.signal()
      #expect(await messages.next() == 12 << 20)
      // The ping of the first check waits behind the third message.
      scheduler.advance(by: .seconds(20))
    }
    connection.send(.text("alive"))
    reader.mayRead.signal()
    #expect(await messages.next() == 5)
    connection.close()
    reader.mayRead.signal()
    try await flood.end?.get()
  }

  @Test("a handshake without a response fails after the open timeout, in virtual time")
  func openTimeout() async throws {
    let scheduler = ManualDelayScheduler()
    let server = try LoopbackServer { _ in .never }
    let provider = try provider(scheduler: scheduler)
    let task = Task {
      await failure(provider, LoopbackTarget(server), options: .init(openTimeout: .seconds(7)))
    }
    try await server.log { $0.requestCount == 1 }
    scheduler.advance(by: .seconds(7))
    #expect(await task.value?.transferError == .timedOut(.firstByte, after: .seconds(7)))
    try await server.log { $0.openConnections == 0 }
  }

  @Test("a provider's limit for response bodies does not apply to all messages together")
  func bodyLimit() async throws {
    let server = try Self.echo()
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport(), responseBodyLimit: 1_000)
    let socket = try await provider.webSocket(LoopbackTarget(server))
    var iterator = socket.makeAsyncIterator()
    let message = WebSocketMessage.binary(Data(count: 900))
    for _ in 0..<5 {
      try await socket.send(message)
      #expect(try await iterator.next() == message)
    }
    socket.close()
    #expect(try await iterator.next() == nil)
  }

  @Test("a transport that cannot switch protocols refuses before it sends anything")
  func unsupported() async throws {
    let server = try Self.echo()
    let provider = NetworkProvider<LoopbackTarget>(transport: URLSessionTransport())
    guard
      case .underlying(WebSocketError.unsupportedByTransport, _)? = await failure(
        provider, LoopbackTarget(server))
    else {
      Issue.record("it was not refused")
      return
    }
    #expect(server.log.requestCount == 0)
  }

  @Test("releasing the provider does not end its sockets")
  func releasedProvider() async throws {
    let server = try Self.echo()
    let socket = try await provider().webSocket(LoopbackTarget(server))
    try await socket.send(.text("still there"))
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("still there"))
  }
}
