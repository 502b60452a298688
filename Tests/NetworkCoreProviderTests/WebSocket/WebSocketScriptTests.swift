import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("WebSocketScript")
struct WebSocketScriptTests {
  private let target = LoopbackTarget(URL(filePath: "/"), "/feed")
  private let time = ManualDelayScheduler()

  private func provider(
    _ responses: EndpointSampleResponse..., behavior: StubBehavior = .immediate,
    plugins: [any PluginType] = [], interceptors: [any RequestInterceptor] = []
  ) -> NetworkProvider<LoopbackTarget> {
    let stubs = StubTable<LoopbackTarget>()
    stubs.add(path: "/feed", responses, behavior: behavior)
    return NetworkProvider(
      transport: UnreachableTransport(), plugins: plugins, interceptors: interceptors, stubs: stubs,
      scheduler: time)
  }

  /// Opens a WebSocket and records its events.
  private func open(
    _ provider: NetworkProvider<LoopbackTarget>, options: WebSocketOptions = WebSocketOptions()
  ) -> (connection: WebSocketConnection, events: Events) {
    let events = Events()
    let connection = provider.webSocket(target, options: options) { event in
      switch event {
      case .opened(_, let response): events.append("opened \(response.statusCode)")
      case .message(let message): events.append(message.text ?? "\(message.byteCount) bytes")
      case .finished(let error): events.append("finished \(error.map { "\($0)" } ?? "")")
      }
    }
    return (connection, events)
  }

  @Test("the steps happen in order and in virtual time, on the caller's thread")
  func steps() {
    let script: WebSocketScript = [
      .send(.text("hello")), .receive(.text("+BTC")), .wait(.seconds(5)), .send(.text("BTC:1")),
      .send(.binary(Data([1, 2, 3]))), .close(.normalClosure),
    ]
    let (connection, events) = open(provider(.webSocket(script)))
    #expect(events.all == ["opened 101", "hello"])
    time.advance(by: .seconds(10))
    #expect(events.all.count == 2)
    connection.send(.text("+BTC"))
    time.advance(by: .milliseconds(4900))
    #expect(events.all.count == 2)
    time.advance(by: .milliseconds(100))
    #expect(events.all == ["opened 101", "hello", "BTC:1", "3 bytes", "finished "])
    #expect(script.received == [.text("+BTC")])
    #expect(time.pendingCount == 0)
  }

  @Test("a message that is not the expected one fails the connection, and the error names both")
  func unexpected() {
    let (connection, events) = open(provider(.webSocket([.receive(.text("+BTC"))])))
    connection.send(.text("+ETH"))
    #expect(events.all.count == 2)
    #expect(events.all.last?.contains("text(\"+BTC\")") == true)
    #expect(events.all.last?.contains("text(\"+ETH\")") == true)
  }

  @Test("the error of an unexpected message has the script's message and the client's")
  func unexpectedMessage() async throws {
    let socket = try await provider(.webSocket([.receive(.text("+BTC"))])).webSocket(target)
    try await socket.send(.text("+ETH"))
    let error = await #expect(throws: NetworkError.self) { for try await _ in socket {} }
    let unexpected = error?.underlyingError as? UnexpectedMessageError
    #expect(unexpected?.expected == .text("+BTC"))
    #expect(unexpected?.actual == .text("+ETH"))
  }

  @Test(
    "the completion of a message after the end may block, because it has another thread",
    arguments: [true, false])
  func unsentCompletion(isCancelled: Bool) throws {
    let (connection, _) = open(provider(.webSocket([])))
    if isCancelled { connection.cancel() } else { connection.close() }
    let completions = Lock([(error: WebSocketError?, thread: String)]())
    connection.send(.text("late")) { error in
      let thread = "\(pthread_self())"
      completions.withLock { $0.append((error, thread)) }
    }
    waitUntil { completions.withLock { !$0.isEmpty } }
    let completion = try #require(completions.withLock { $0.first })
    #expect(completion.error == .notOpen)
    #expect(completion.thread != "\(pthread_self())")
  }

  @Test("messages of every length, sent before they are expected, arrive in order")
  func lengths() {
    let messages = [0, 1, 125, 126, 65_535, 65_536, 300_000].map { count in
      WebSocketMessage.binary(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
    }
    let script = WebSocketScript([.wait(.seconds(1))] + messages.flatMap { [.receive($0), .send($0)] })
    let (connection, events) = open(provider(.webSocket(script)))
    for message in messages { connection.send(message) }
    time.advance(by: .seconds(1))
    #expect(script.received == messages)
    #expect(events.all == ["opened 101"] + messages.map { "\($0.byteCount) bytes" })
  }

  @Test("after the last step, no message is taken that was sent before the connection opened")
  func disconnected() {
    let script: WebSocketScript = [.receive(.text("a")), .disconnect]
    provider(.webSocket(script), behavior: .delayed(seconds: 1)).webSocket(target) { event in
      guard case .opened(let connection, _) = event else { return }
      for text in ["a", "b"] { connection.send(.text(text)) }
    }
    time.advance(by: .seconds(1))
    #expect(script.received == [.text("a")])
  }

  @Test("the received messages are those of all connections")
  func receivedByAll() {
    let script: WebSocketScript = []
    let provider = provider(.webSocket(script))
    for text in ["a", "b"] {
      let (connection, _) = open(provider)
      connection.send(.text(text))
      connection.cancel()
    }
    #expect(script.received == [.text("a"), .text("b")])
  }

  @Test("a message that fills the send queue exactly is accepted", arguments: [(32, 2), (31, 1)])
  func exactSendQueueLimit(limit: Int, accepted: Int) {
    let script: WebSocketScript = []
    // Both messages wait, because the server reads only after the connection has opened.
    let connection = provider(.webSocket(script), behavior: .delayed(seconds: 1)).webSocket(
      target, options: WebSocketOptions(sendQueueLimit: limit)
    ) { event in
      guard case .opened(let opened, _) = event else { return }
      // A frame has 6 bytes before these: 2 of its head, and 4 of the key that masks it.
      for _ in 0..<2 { opened.send(.binary(Data(count: 10))) }
    }
    time.advance(by: .seconds(1))
    #expect(script.received.count == accepted)
    connection.cancel()
  }

  @Test("an open timeout of 0 does not limit the handshake")
  func noOpenTimeout() {
    let provider = provider(.webSocket([]), behavior: .delayed(seconds: 1_000))
    let (connection, events) = open(provider, options: WebSocketOptions(openTimeout: .zero))
    time.advance(by: .seconds(1_000))
    #expect(events.all == ["opened 101"])
    connection.cancel()
  }

  @Test("close() before the handshake is answered cancels the connection")
  func closeBeforeHandshake() {
    let (connection, events) = open(provider(.webSocket([]), behavior: .delayed(seconds: 5)))
    connection.close()
    #expect(events.all == ["finished \(NetworkError.cancelled)"])
    time.advance(by: .seconds(10))
    #expect(events.all.count == 1)
  }

  @Test("a task that is already cancelled sends no handshake")
  func cancelledTask() async {
    let log = Log()
    let provider = provider(
      .webSocket([]), plugins: [NetworkActivityPlugin { change, _ in log("\(change)") }])
    let error = await Task { [target] () -> NetworkError? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(NetworkError) {
        _ = try await provider.webSocket(target)
        return nil
      } catch {
        return error
      }
    }.value
    #expect(error?.isCancelled == true)
    #expect(log.all.isEmpty)
  }

  @Test("closing and cancelling end the script, and its timers")
  func ends() {
    let script: WebSocketScript = [.wait(.seconds(100)), .send(.text("late"))]
    let provider = provider(.webSocket(script))
    let (closed, events) = open(provider)
    closed.close(code: .goingAway)
    #expect(events.all == ["opened 101", "finished "])
    let (cancelled, others) = open(provider)
    cancelled.cancel()
    #expect(others.all == ["opened 101", "finished \(NetworkError.cancelled)"])
    #expect(time.pendingCount == 0)
    time.advance(by: .seconds(200))
    #expect(events.all.count == 2)
    #expect(others.all.count == 2)
  }

  @Test("a connection that the server cuts or closes with a code fails")
  func failures() {
    let (_, cut) = open(provider(.webSocket([.send(.text("a")), .disconnect])))
    #expect(cut.all.count == 3)
    #expect(cut.all.last?.contains("connectionLost") == true)
    let (_, closed) = open(provider(.webSocket([.close(.serviceRestart, reason: "again")])))
    #expect(closed.all.count == 2)
    #expect(closed.all.last?.contains("again") == true)
  }

  @Test("the validation of a target does not apply to the 101 of its WebSocket")
  func validatingTarget() {
    let (log, events) = (Log(), Events())
    let provider = provider(.webSocket([.disconnect]), plugins: [LoggingPlugin(name: "a", log: log)])
    let validating = target.with {
      $0.validationType = .successCodes
      $0.acceptableContentTypes = ["application/json"]
    }
    provider.webSocket(validating) { event in
      if case .finished(let error) = event { events.append(error.map { "\($0)" } ?? "") }
    }
    #expect(log.all == ["a prepare", "a willSend a", "a didReceive 101", "a process 101"])
    #expect(events.all.map { $0.contains("connectionLost") } == [true])
  }

  @Test(
    "a close frame may have a code of the protocol, of a registry or of an application, and no other",
    arguments: [
      (1003, true), (1007, true), (1014, true), (3000, true), (4999, true), (999, false), (1004, false),
      (1006, false), (1015, false), (2999, false), (5000, false),
    ] as [(UInt16, Bool)])
  func closeCodes(code: UInt16, isValid: Bool) async throws {
    let script: WebSocketScript = [.close(WebSocketCloseCode(rawValue: code), reason: "so")]
    let socket = try await provider(.webSocket(script)).webSocket(target)
    let error = await #expect(throws: NetworkError.self) { for try await _ in socket {} }
    let expected: WebSocketError =
      isValid
      ? .closed(code: WebSocketCloseCode(rawValue: code), reason: "so")
      : .protocolViolation(code: .protocolError, reason: "the close code \(code) is reserved")
    #expect(error?.underlyingError as? WebSocketError == expected)
  }

  @Test(
    "a text may have the first and the last character of each length of UTF-8, and those around surrogates")
  func characters() async throws {
    let text =
      "\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{FFF}\u{1000}\u{CFFF}\u{D000}\u{D7FF}\u{E000}\u{FFFF}"
      + "\u{10000}\u{3FFFF}\u{40000}\u{FFFFF}\u{100000}\u{10FFFF}"
    let script: WebSocketScript = [.send(.text(text)), .close(.normalClosure)]
    let socket = try await provider(.webSocket(script)).webSocket(target)
    var received: [Data] = []
    for try await message in socket { received.append(message.data) }
    #expect(received == [Data(text.utf8)])
  }

  @Test("the server answers pings, unless the script says otherwise")
  func pings() {
    let (alive, events) = open(
      provider(.webSocket([])), options: WebSocketOptions(pingInterval: .seconds(10)))
    time.advance(by: .seconds(1_000))
    #expect(events.all == ["opened 101"])
    alive.cancel()
    let silent = WebSocketScript([], answersPings: false)
    let (_, others) = open(
      provider(.webSocket(silent)), options: WebSocketOptions(pingInterval: .seconds(10)))
    time.advance(by: .seconds(20))
    #expect(others.all.last?.contains("noPong") == true)
  }

  @Test("the subprotocol of the script must have been offered")
  func subprotocol() async throws {
    let script = WebSocketScript([.send(.text("a"))], subprotocol: "graphql")
    let socket = try await provider(.webSocket(script))
      .webSocket(target, options: WebSocketOptions(subprotocols: ["json", "graphql"]))
    #expect(socket.subprotocol == "graphql")
    let offering = target.with { $0.headers = ["Sec-WebSocket-Protocol": "json,graphql"] }
    #expect(try await provider(.webSocket(script)).webSocket(offering).subprotocol == "graphql")
    let (_, events) = open(provider(.webSocket(script)))
    #expect(events.all.last?.contains("invalidHandshake") == true)
  }

  @Test("a delayed stub opens after the delay; a refused handshake may be retried")
  func retried() {
    struct Repeated: RequestInterceptor {
      func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
      ) {
        completion(request.retryCount < 1 ? .retry : .doNotRetry)
      }
    }
    let provider = provider(
      .networkResponse(401, Data("no".utf8)), .webSocket([.send(.text("in"))]),
      behavior: .delayed(seconds: 2),
      interceptors: [Repeated()])
    let (_, events) = open(provider)
    time.advance(by: .milliseconds(3900))
    #expect(events.all.isEmpty)
    time.advance(by: .milliseconds(100))
    #expect(events.all == ["opened 101", "in"])
  }

  @Test("a WebSocket that fails after it has opened is not opened again by an interceptor")
  func failedAfterOpening() {
    struct Repeated: RequestInterceptor {
      func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
      ) {
        completion(request.retryCount < 1 ? .retry : .doNotRetry)
      }
    }
    let log = Log()
    let provider = provider(
      .webSocket([.receive(.text("a"))]), plugins: [NetworkActivityPlugin { change, _ in log("\(change)") }],
      interceptors: [Repeated()])
    let (connection, events) = open(provider)
    connection.send(.text("b"))
    #expect(log.all == ["began", "ended"])
    #expect(events.all.count == 2)
  }

  @Test("with await, the messages are a sequence, and the end is that of the script")
  func sequence() async throws {
    let script: WebSocketScript = [
      .receive(.text("hello")), .send(.text("one")), .send(.text("two")), .close(.normalClosure),
    ]
    let socket = try await provider(.webSocket(script)).webSocket(target)
    try await socket.send(.text("hello"))
    var texts: [String] = []
    for try await message in socket { texts.append(message.text ?? "") }
    #expect(texts == ["one", "two"])
  }

  @Test("any other request to the target gets 426")
  func otherRequests() async {
    let response = try? await provider(.webSocket([])).result(target).get()
    #expect(response?.statusCode == 426)
  }

  @Test("a server that sends without pause in reply to each message does not grow the stack")
  func deep() {
    let count = 20_000
    let messages = (0..<count).map { WebSocketMessage.text("\($0)") }
    let script = WebSocketScript([.send(.text("go"))] + messages.flatMap { [.receive($0), .send($0)] })
    let answered = Lock(0)
    let connection = Lock(nil as WebSocketConnection?)
    provider(.webSocket(script)).webSocket(target) { event in
      switch event {
      case .opened(let opened, _): connection.withLock { $0 = opened }
      case .message:
        let number = answered.withLock { number in
          defer { number += 1 }
          return number
        }
        if number < count { connection.withLock { $0 }?.send(messages[number]) }
      case .finished: break
      }
    }
    #expect(answered.withLock { $0 } == count + 1)
  }
}

/// Fails each request, because stubs must not reach it.
private struct UnreachableTransport: Transport {
  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    handler(.finished(.connectionLost(reason: "not stubbed")))
    return CancellableToken {}
  }
}

private final class Events: Sendable {
  private let texts = Lock([String]())

  var all: [String] { texts.withLock { $0 } }
  func append(_ text: String) { texts.withLock { $0.append(text) } }
}
