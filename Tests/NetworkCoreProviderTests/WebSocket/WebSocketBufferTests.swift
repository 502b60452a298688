import Dispatch
import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

/// A transport whose only connection has switched protocols; a test sends the server's bytes and takes the
/// client's.
private final class UpgradedConnection: Transport, Transfer {
  private struct State {
    var request: TransportRequest?
    var handler: (@Sendable (TransferEvent) -> Void)?
    var isPaused = false
    var isCancelled = false
  }

  private let state = Lock(State())
  private let upgradeField: String
  private let connectionField: String

  init(upgradeField: String = "websocket", connectionField: String = "Upgrade") {
    self.upgradeField = upgradeField
    self.connectionField = connectionField
  }

  var upgradesConnections: Bool { true }
  var pausesTransfers: Bool { true }
  var isPaused: Bool { state.withLock { $0.isPaused } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    state.withLock { ($0.request, $0.handler) = (request, handler) }
    let key = request.headers["Sec-WebSocket-Key"] ?? ""
    let headers: HTTPHeaders = [
      "Upgrade": upgradeField, "Connection": connectionField,
      "Sec-WebSocket-Accept": SHA1.webSocketAccept(forKey: key),
    ]
    handler(.head(ResponseHead(statusCode: 101, url: request.url, headers: headers)))
    return self
  }

  func pause() { state.withLock { $0.isPaused = true } }
  func resume() { state.withLock { $0.isPaused = false } }

  func cancel() {
    let handler = state.withLock { state in
      state.isCancelled = true
      return state.handler.take()
    }
    handler?(.finished(.cancelled))
  }

  /// Sends bytes of the server.
  func send(_ bytes: [UInt8]) {
    let handler = state.withLock { $0.handler }
    handler?(.body(Data(bytes)))
  }

  /// Returns a reader of the bytes that the client sends; may be called once.
  func sentBytes() throws -> RequestBodyReader {
    let request = try #require(state.withLock { $0.request })
    return try request.bodyReader(onBytesAvailable: {})
  }

  /// Takes the bytes that the client has sent; may be called once.
  func takeSent() throws -> Int {
    var reader = try sentBytes()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    return try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } ?? 0
  }
}

/// Runs actions only when a test says so, even if they were cancelled, like a timer that fires at the same time.
private final class FiringScheduler: DelayScheduler {
  private typealias Action = (delay: Duration, run: @Sendable () -> Void)

  private let actions = Lock<[Action]>([])

  var now: Date { Date(timeIntervalSinceReferenceDate: 0) }
  var uptime: Duration { .zero }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    actions.withLock { $0.append((delay, action)) }
    return CancellableToken {}
  }

  /// Runs the oldest action with a delay.
  func fire(_ delay: Duration) throws {
    let action = actions.withLock { actions in
      actions.firstIndex { $0.delay == delay }.map { actions.remove(at: $0) }
    }
    try #require(action).run()
  }
}

@Suite("Buffers and ends of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketBufferTests {
  private let wire = UpgradedConnection()
  private let time = ManualDelayScheduler()

  private func open(_ options: WebSocketOptions = WebSocketOptions()) async throws -> WebSocket {
    let provider = NetworkProvider<LoopbackTarget>(transport: wire, scheduler: time)
    return try await provider.webSocket(LoopbackTarget(URL(staticString: "http://h")), options: options)
  }

  @Test("empty messages count, so that a receiver that takes none makes the server wait")
  func emptyMessages() async throws {
    let socket = try await open()
    let messages = [[UInt8]](repeating: [0x82, 0], count: 32_768).flatMap { $0 }
    for _ in 0..<12 where !wire.isPaused { wire.send(messages) }
    #expect(wire.isPaused)
    wire.cancel()
    withExtendedLifetime(socket) {}
  }

  @Test("a socket that is released while the server waits reads on, so that the server can close")
  func releasedWhileStalled() async throws {
    var socket: WebSocket? = try await open()
    let messages = [[UInt8]](repeating: [0x82, 0], count: 32_768).flatMap { $0 }
    for _ in 0..<12 where !wire.isPaused { wire.send(messages) }
    withExtendedLifetime(socket) { #expect(wire.isPaused) }
    socket = nil
    #expect(!wire.isPaused)
    wire.cancel()
  }

  @Test(
    "a message of exactly the limit is received, and a longer one is refused",
    arguments: [[0x82, 4, 1, 2, 3, 4], [0x02, 2, 1, 2, 0x80, 2, 3, 4]] as [[UInt8]])
  func messageOfTheLimit(bytes: [UInt8]) async throws {
    let socket = try await open(WebSocketOptions(messageLimit: 4))
    wire.send(bytes)
    wire.send([0x82, 5])
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == .binary(Data([1, 2, 3, 4])))
    let error = await #expect(throws: NetworkError.self) { for try await _ in socket {} }
    #expect(error?.underlyingError as? WebSocketError == .messageTooLong(limit: 4))
    wire.cancel()
  }

  @Test("a negative limit of messages counts as 0", arguments: [-1, Int.min])
  func negativeLimit(limit: Int) async throws {
    let socket = try await open(WebSocketOptions(messageLimit: limit))
    wire.send([0x82, 0, 0x82, 1])
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == .binary(Data()))
    let error = await #expect(throws: NetworkError.self) { for try await _ in socket {} }
    #expect(error?.underlyingError as? WebSocketError == .messageTooLong(limit: 0))
    wire.cancel()
  }

  @Test(
    "a long reason is cut at a character, so that the close frame has at most 125 bytes",
    arguments: [("a", 125), ("é", 124), ("🐎", 122)])
  func longReason(character: String, payload: Int) async throws {
    let socket = try await open()
    socket.close(reason: String(repeating: character, count: 200))
    // The head and the mask have 6 bytes.
    #expect(try wire.takeSent() == payload + 6)
    wire.cancel()
  }

  @Test("what the program sends keeps no pong from a server, however many messages wait")
  func pongAmongMessages() async throws {
    let isOpen = Lock(false)
    let connection = NetworkProvider<LoopbackTarget>(transport: wire, scheduler: time).webSocket(
      LoopbackTarget(URL(staticString: "http://h")), options: WebSocketOptions(sendQueueLimit: 65_536)
    ) { event in
      if case .opened = event { isOpen.withLock { $0 = true } }
    }
    await suspendUntil { isOpen.withLock { $0 } }
    for _ in 0..<2_000 { connection.send(.binary(Data(count: 20))) }
    wire.send([0x89, 0])
    #expect(try wire.takeSent() == 2_000 * 26 + 6)
    wire.cancel()
  }

  @Test("a server that sends empty pings and reads nothing does not fill the memory with pongs")
  func emptyPings() async throws {
    let socket = try await open(WebSocketOptions(sendQueueLimit: 65_536))
    wire.send([[UInt8]](repeating: [0x89, 0], count: 20_000).flatMap { $0 })
    // An empty pong has 6 bytes.
    let pongs = try wire.takeSent() / 6
    #expect((1...1_000).contains(pongs))
    wire.cancel()
    withExtendedLifetime(socket) {}
  }

  /// Opens a connection whose queue has room for ten bytes, or for one message.
  private func connection() async -> WebSocketConnection {
    let isOpen = Lock(false)
    let connection = NetworkProvider<LoopbackTarget>(transport: wire, scheduler: time).webSocket(
      LoopbackTarget(URL(staticString: "http://h")),
      options: WebSocketOptions(offersCompression: false, sendQueueLimit: 10, pingInterval: .seconds(10))
    ) { event in
      if case .opened = event { isOpen.withLock { $0 = true } }
    }
    // The first ping is scheduled after the event.
    await suspendUntil { isOpen.withLock { $0 } && time.pendingCount > 0 }
    return connection
  }

  @Test(
    "after a ping for which the queue had no room, the server is alive if it takes what waits, in virtual time",
    arguments: [true, false])
  func refusedPing(isTaken: Bool) async throws {
    let connection = await connection()
    connection.send(.binary(Data(count: 20)))
    time.advance(by: .seconds(10))
    var reader = try wire.sentBytes()
    var buffer = [UInt8](repeating: 0, count: 100)
    if isTaken {
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      #expect(count == 26)
    }
    time.advance(by: .seconds(10))
    #expect(wire.isCancelled == !isTaken)
    if isTaken {
      // The next ping.
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      #expect(count == 6)
    }
    wire.cancel()
  }

  @Test(
    "after a ping that left late behind a message, the server has an interval to answer, in virtual time",
    arguments: [true, false])
  func latePingBehindMessage(isAnswered: Bool) async throws {
    let connection = await connection()
    connection.send(.binary(Data(count: 20)))
    var reader = try wire.sentBytes()
    func read(_ count: Int) throws -> Int? {
      var buffer = [UInt8](repeating: 0, count: count)
      return try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    }
    #expect(try read(24) == 24)
    time.advance(by: .seconds(10))
    time.advance(by: .seconds(9))
    // The rest of the message, and the ping.
    #expect(try read(100) == 2 + 6)
    time.advance(by: .seconds(1))
    #expect(!wire.isCancelled)
    if isAnswered { wire.send([0x8A, 0]) }
    time.advance(by: .seconds(10))
    #expect(wire.isCancelled == !isAnswered)
    wire.cancel()
  }

  @Test("after an answer to a ping that left late, the next check sends the next ping, in virtual time")
  func answeredLatePing() async throws {
    let connection = await connection()
    connection.send(.binary(Data(count: 20)))
    var reader = try wire.sentBytes()
    func read(_ count: Int) throws -> Int? {
      var buffer = [UInt8](repeating: 0, count: count)
      return try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    }
    #expect(try read(24) == 24)
    time.advance(by: .seconds(10))
    // The rest of the message, and the ping.
    #expect(try read(100) == 2 + 6)
    wire.send([0x8A, 0])
    time.advance(by: .seconds(10))
    #expect(try read(100) == 6)
    wire.send([0x8A, 0])
    time.advance(by: .seconds(10))
    #expect(!wire.isCancelled)
    wire.cancel()
  }

  @Test("a cancel in the middle of a message ends the connection at once, without a close frame")
  func cancelWithinMessage() async throws {
    let connection = await connection()
    connection.send(.binary(Data(count: 20)))
    var reader = try wire.sentBytes()
    var buffer = [UInt8](repeating: 0, count: 10)
    let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(count == 10)
    connection.cancel()
    #expect(wire.isCancelled)
    let rest = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(rest == 0)
  }

  @Test("a message that the server's close frame interrupts is refused once, and its frame is completed")
  func interruptedMessage() async throws {
    let connection = await connection()
    let errors = Lock([WebSocketError?]())
    connection.enqueue(.binary(Data(count: 20))) { error in errors.withLock { $0.append(error) } }
    var sent = try wire.sentBytes()
    func read(_ count: Int) throws -> Int? {
      var buffer = [UInt8](repeating: 0, count: count)
      return try buffer.withUnsafeMutableBytes { try sent.read(into: $0) }
    }
    #expect(try read(10) == 10)
    wire.send([0x88, 2, 3, 0xE8])
    #expect(errors.withLock { $0 } == [.notOpen])
    // The rest of the message, and a close frame.
    #expect(try read(100) == 16 + 8)
    #expect(errors.withLock { $0 } == [.notOpen])
    wire.cancel()
  }

  @Test(
    "the fields of a handshake may differ in case, and list other options",
    arguments: [("WebSocket", "Upgrade"), ("websocket", "keep-alive, Upgrade")])
  func handshakeFields(upgrade: String, connection: String) async throws {
    let wire = UpgradedConnection(upgradeField: upgrade, connectionField: connection)
    let provider = NetworkProvider<LoopbackTarget>(transport: wire, scheduler: time)
    let socket = try await provider.webSocket(LoopbackTarget(URL(staticString: "http://h")))
    #expect(socket.response.statusCode == 101)
    wire.cancel()
  }

  @Test("a message that is still arriving after close() is received, in virtual time")
  func arrivingMessage() async throws {
    let socket = try await open(WebSocketOptions(closeTimeout: .seconds(3)))
    wire.send([0x82, 4, 1])
    socket.close()
    #expect(try wire.takeSent() == 8)
    for byte in 2...3 as ClosedRange<UInt8> {
      wire.send([byte])
      time.advance(by: .seconds(3))
    }
    #expect(!wire.isCancelled)
    // The end of the message, and a close frame with 1000.
    wire.send([4, 0x88, 2, 3, 0xE8])
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == .binary(Data([1, 2, 3, 4])))
    #expect(try await messages.next() == nil)
    wire.cancel()
  }

  @Test(
    "a message does not delay the end after close() if it arrives no further or follows another, in virtual time",
    arguments: [
      [0x82, 4, 1], [0x82, 4, 1, 2, 3, 4], [0x02, 1, 1, 0x89, 0, 0, 0],
      [0x82, 4, 1, 2, 3, 4, 0x82, 4, 1, 2],
    ] as [[UInt8]])
  func arrivedMessage(bytes: [UInt8]) async throws {
    let socket = try await open(WebSocketOptions(closeTimeout: .seconds(3)))
    wire.send(Array(bytes.prefix(3)))
    socket.close()
    #expect(try wire.takeSent() == 8)
    wire.send(Array(bytes.dropFirst(3)))
    time.advance(by: .seconds(3))
    try #require(wire.isCancelled)
    let error = await #expect(throws: NetworkError.self) {
      for try await _ in socket {}
    }
    #expect(error?.transferError == .timedOut(.idle, after: .seconds(3)))
  }

  @Test(
    "a cancelled task gets neither the messages before the end nor the end, however the server has ended",
    arguments: [[0x88, 2, 3, 0xE8], [0x83, 0]] as [[UInt8]])
  func cancelAfterEnd(end: [UInt8]) async throws {
    let socket = try await open()
    wire.send([0x82, 1, 1, 0x82, 1, 2] + end)
    let task = Task { () -> NetworkError? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(NetworkError) {
        for try await _ in socket {}
        return nil
      } catch {
        return error
      }
    }
    #expect(await task.value?.isCancelled == true)
    wire.cancel()
  }

  @Test("a cancel after the end is the only event for a receiver that has taken no message")
  func cancelAfterEndForReceiver() async {
    let isOpen = Lock(false)
    let mayReceive = DispatchSemaphore(value: 0)
    let events = Log()
    let connection = NetworkProvider<LoopbackTarget>(transport: wire, scheduler: time).webSocket(
      LoopbackTarget(URL(staticString: "http://h"))
    ) { event in
      switch event {
      case .opened:
        isOpen.withLock { $0 = true }
        mayReceive.wait()
      case .message: events("message")
      case .finished(let error): events(error?.isCancelled == true ? "cancelled" : "end")
      }
    }
    await suspendUntil { isOpen.withLock { $0 } }
    wire.send([0x82, 1, 1, 0x88, 2, 3, 0xE8])
    connection.cancel()
    mayReceive.signal()
    await suspendUntil { !events.all.isEmpty }
    #expect(events.all == ["cancelled"])
    wire.cancel()
  }

  @Test("a cancel after the end that the receiver has got changes nothing")
  func cancelAfterDeliveredEnd() async throws {
    let socket = try await open()
    wire.send([0x82, 1, 1, 0x88, 2, 3, 0xE8])
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == .binary(Data([1])))
    #expect(try await messages.next() == nil)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var others = socket.makeAsyncIterator()
      return try await others.next()
    }
    #expect(try await task.value == nil)
    wire.cancel()
  }

  @Test("after close(), a server may be silent for longer than between two pings, in virtual time")
  func closeTimeoutBeyondPings() async throws {
    let socket = try await open(WebSocketOptions(pingInterval: .seconds(10), closeTimeout: .seconds(60)))
    socket.close()
    #expect(try wire.takeSent() == 8)
    time.advance(by: .seconds(59))
    #expect(!wire.isCancelled)
    wire.send([0x88, 2, 3, 0xE8])
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == nil)
    wire.cancel()
  }

  @Test("a cancel after close() sends no second close frame")
  func cancelAfterClose() async throws {
    var socket: WebSocket? = try await open()
    var sent = try wire.sentBytes()
    func read() throws -> Int? {
      var buffer = [UInt8](repeating: 0, count: 64)
      return try buffer.withUnsafeMutableBytes { try sent.read(into: $0) }
    }
    socket?.close()
    #expect(try read() == 8)
    socket = nil
    #expect(try read() == 0)
    wire.cancel()
  }

  @Test("a cancel after close() drops the waiting messages, and leaves the close frame with its code")
  func cancelBeforeCloseFrame() async throws {
    let connection = await connection()
    let errors = Lock([WebSocketError?]())
    connection.enqueue(.binary(Data(count: 20))) { error in errors.withLock { $0.append(error) } }
    connection.close(code: WebSocketCloseCode(rawValue: 4001))
    connection.cancel()
    #expect(errors.withLock { $0 } == [.notOpen])
    var sent = try wire.sentBytes()
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = try buffer.withUnsafeMutableBytes { try sent.read(into: $0) }
    #expect(count == 8)
    // The code follows the four bytes of the key that masks it.
    #expect([buffer[6] ^ buffer[2], buffer[7] ^ buffer[3]] == [0x0F, 0xA1])
    wire.cancel()
  }

  @Test("after close(), a server that closes before it has taken all messages is an error, whatever its code")
  func closedBeforeMessagesLeft() async {
    let isOpen = Lock(false)
    let ends = Lock([NetworkError?]())
    let connection = NetworkProvider<LoopbackTarget>(transport: wire, scheduler: time).webSocket(
      LoopbackTarget(URL(staticString: "http://h"))
    ) { event in
      switch event {
      case .opened: isOpen.withLock { $0 = true }
      case .message: break
      case .finished(let error): ends.withLock { $0.append(error) }
      }
    }
    await suspendUntil { isOpen.withLock { $0 } }
    connection.send(.text("a"))
    connection.close()
    wire.send([0x88, 2, 3, 0xE8])
    await suspendUntil { ends.withLock { !$0.isEmpty } }
    let errors = ends.withLock { $0 }.map { $0?.underlyingError as? WebSocketError }
    #expect(errors == [WebSocketError.closed(code: .normalClosure, reason: "")])
    wire.cancel()
  }

  /// Opens a socket whose timers fire after 7 s without a handshake, 20 s between pings and 3 s after closing.
  private func open(timers: FiringScheduler) async throws -> WebSocket {
    let provider = NetworkProvider<LoopbackTarget>(transport: wire, scheduler: timers)
    let options = WebSocketOptions(
      openTimeout: .seconds(7), pingInterval: .seconds(20), closeTimeout: .seconds(3))
    return try await provider.webSocket(LoopbackTarget(URL(staticString: "http://h")), options: options)
  }

  @Test("an open timeout that fires together with the handshake does not end the connection")
  func lateOpenTimeout() async throws {
    let timers = FiringScheduler()
    let socket = try await open(timers: timers)
    try timers.fire(.seconds(7))
    #expect(!wire.isCancelled)
    wire.send([0x82, 1, 1])
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == .binary(Data([1])))
    wire.cancel()
  }

  @Test("a check of the pings that comes together with a cancel does not cut the connection")
  func latePing() async throws {
    let timers = FiringScheduler()
    var socket: WebSocket? = try await open(timers: timers)
    // The server has not answered the ping that follows.
    try timers.fire(.seconds(20))
    withExtendedLifetime(socket) {}
    socket = nil
    try timers.fire(.seconds(20))
    #expect(!wire.isCancelled)
    wire.cancel()
  }

  @Test("a close timeout that fires while the receiver reads again does not cut the connection")
  func lateCloseTimeout() async throws {
    let timers = FiringScheduler()
    let socket = try await open(timers: timers)
    let message = [UInt8](repeating: 1, count: 300_000)
    wire.send([0x82, 127, 0, 0, 0, 0, 0, 0x04, 0x93, 0xE0] + message)
    socket.close()
    #expect(try wire.takeSent() == 8)
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == .binary(Data(message)))
    // Replaced when the close frame left, and when the message was taken.
    for _ in 0..<2 { try timers.fire(.seconds(3)) }
    #expect(!wire.isCancelled)
    try timers.fire(.seconds(3))
    #expect(wire.isCancelled)
    withExtendedLifetime(socket) {}
  }

  @Test("after a second close(), the code of the first one still counts as success")
  func secondClose() async throws {
    let socket = try await open()
    socket.close(code: WebSocketCloseCode(rawValue: 4001))
    socket.close()
    wire.send([0x88, 2, 0x0F, 0xA1])
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == nil)
    wire.cancel()
  }
}
