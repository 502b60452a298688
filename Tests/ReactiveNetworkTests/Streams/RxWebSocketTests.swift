import Dispatch
import Foundation
import LoopbackServer
import ReactiveNetwork
import ReactiveNetworkLock
import Testing

@Suite("rx.webSocket", .timeLimit(.minutes(5)))
struct RxWebSocketTests {
  private let provider: NetworkProvider<LoopbackTarget>

  init() throws {
    provider = NetworkProvider(transport: try CurlTransport())
  }

  /// A server that sends each message back, and closes after "bye".
  private func echo() throws -> LoopbackServer {
    try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() {
          socket.send(message)
          if message == .text("bye") { return }
        }
      }
    }
  }

  @Test("the elements of the outgoing sequence are sent in order, and each answer is an element")
  func echoes() throws {
    let server = try echo()
    let outgoing = Observable.from((0..<500).map { WebSocketMessage.text("\($0)") } + [.text("bye")])
    let messages = try provider.rx.webSocket(LoopbackTarget(server, "/"), sending: outgoing).toBlocking()
      .toArray()
    #expect(messages.compactMap(\.text) == (0..<500).map { "\($0)" } + ["bye"])
    try server.waitUntil { $0.openConnections == 0 }
  }

  private struct Tick: Decodable, Equatable {
    let price: Int
  }

  @Test("each message is decoded, and one that cannot be is named by its error")
  func decoded() throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.send(.text(#"{"price": 1}"#))
        socket.send(.binary(Array(#"{"price": 2}"#.utf8)))
        socket.send(.text(#"{"cost": 3}"#))
        while socket.receive() != nil {}
      }
    }
    let result = provider.rx.webSocket(LoopbackTarget(server, "/")).decode(Tick.self).toBlocking()
      .materialize()
    guard case .failed(let elements, let error as NetworkError) = result,
      case .underlying(StreamError.undecodableMessage(3, let text, let reason), _) = error
    else {
      Issue.record("\(result)")
      return
    }
    #expect(elements == [Tick(price: 1), Tick(price: 2)])
    #expect(text == #"{"cost": 3}"#)
    #expect(reason.contains("price"))
    try server.waitUntil { $0.openConnections == 0 }
  }

  @Test("the error of a long message has its first 200 bytes")
  func longMessage() {
    let message = WebSocketMessage.text(String(repeating: "x", count: 300))
    let result = Observable.just(message).decode(Int.self).toBlocking().materialize()
    guard case .failed(_, let error as NetworkError) = result,
      case .underlying(StreamError.undecodableMessage(1, let text, _), _) = error
    else {
      Issue.record("\(result)")
      return
    }
    #expect(text == String(repeating: "x", count: 200))
  }

  @Test("messages are decoded with the caller's decoder")
  func decoder() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let messages = Observable.of(WebSocketMessage.text("5"), WebSocketMessage.binary(Data("6".utf8)))
    let dates = try messages.decode(Date.self, decoder: decoder).toBlocking().toArray()
    #expect(dates == [Date(timeIntervalSince1970: 5), Date(timeIntervalSince1970: 6)])
  }

  @Test("the messages are delivered on the callback queue")
  func callbackQueue() throws {
    let server = try LoopbackServer { _ in .webSocket { socket in socket.send(.text("first")) } }
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "callbacks")
    queue.setSpecific(key: key, value: "callbacks")
    let labels = try provider.rx.webSocket(LoopbackTarget(server, "/"), callbackQueue: queue)
      .map { _ in DispatchQueue.getSpecific(key: key) }
      .toBlocking().toArray()
    #expect(labels == ["callbacks"])
  }

  @Test("disposing closes the connection with 1001, and nothing is delivered afterwards")
  func disposed() throws {
    let closing = Lock(nil as LoopbackServer.WebSocket.Closing?)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.send(.text("first"))
        while socket.receive() != nil {}
        closing.withLock { $0 = socket.closing }
      }
    }
    let first = try provider.rx.webSocket(LoopbackTarget(server, "/")).take(1).toBlocking().toArray()
    #expect(first == [.text("first")])
    try server.waitUntil { $0.openConnections == 0 }
    #expect(closing.withLock { $0?.code } == 1001)
  }

  @Test("a newer element of flatMapLatest closes the older connection")
  func switched() throws {
    let server = try LoopbackServer { request in
      .webSocket { socket in
        socket.send(.text(request.path))
        while socket.receive() != nil {}
      }
    }
    let rooms = PublishSubject<String>()
    let received = ReplaySubject<String>.createUnbounded()
    let subscription = rooms.flatMapLatest { [provider] room in
      provider.rx.webSocket(LoopbackTarget(server, room))
    }.subscribe(onNext: { message in
      received.onNext(message.text ?? "")
      if message == .text("/a") { rooms.onNext("/b") }
    })
    rooms.onNext("/a")
    try server.waitUntil { $0.requestCount == 2 && $0.openConnections == 1 }
    #expect(try received.take(2).toBlocking().toArray() == ["/a", "/b"])
    subscription.dispose()
    try server.waitUntil { $0.openConnections == 0 }
  }

  @Test("a lost connection is opened again by retry")
  func retried() throws {
    let count = Lock(0)
    let server = try LoopbackServer { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .webSocket { socket in
        socket.send(.text("\(number)"))
        if number < 3 { socket.abort() }
      }
    }
    let messages = try provider.rx.webSocket(LoopbackTarget(server, "/")).retry(5).toBlocking().toArray()
    #expect(messages.compactMap(\.text) == ["1", "2", "3"])
  }

  @Test("the connection closes with 1000 after the last message, and delivers what the server still sends")
  func closedAfterSending() throws {
    let closing = Lock(nil as LoopbackServer.WebSocket.Closing?)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
        closing.withLock { $0 = socket.closing }
      }
    }
    let messages = try provider.rx.webSocket(
      LoopbackTarget(server, "/"), sending: .of(.text("1"), .text("2")), closesAfterSending: true
    ).toBlocking().toArray()
    #expect(messages == [.text("1"), .text("2")])
    try server.waitUntil { $0.openConnections == 0 }
    #expect(closing.withLock { $0?.code } == 1000)
  }

  @Test("the connection stays open after the last message, until it is disposed")
  func openAfterSending() throws {
    let closing = Lock(nil as LoopbackServer.WebSocket.Closing?)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
        closing.withLock { $0 = socket.closing }
      }
    }
    let sequence = provider.rx.webSocket(LoopbackTarget(server, "/"), sending: .of(.text("1"), .text("2")))
    #expect(try sequence.take(2).toBlocking().toArray() == [.text("1"), .text("2")])
    try server.waitUntil { $0.openConnections == 0 }
    #expect(closing.withLock { $0?.code } == 1001)
  }

  @Test("an error of the outgoing sequence closes with 1011 and fails the sequence with it")
  func failedOutgoing() throws {
    struct Failure: Error {}
    let closing = Lock(nil as LoopbackServer.WebSocket.Closing?)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while socket.receive() != nil {}
        closing.withLock { $0 = socket.closing }
      }
    }
    let sequence = provider.rx.webSocket(LoopbackTarget(server, "/"), sending: .error(Failure()))
    #expect(throws: Failure.self) { try sequence.toBlocking().toArray() }
    try server.waitUntil { $0.openConnections == 0 }
    #expect(closing.withLock { $0?.code } == 1011)
  }

  @Test("an element that does not fit into the queue closes the connection and fails the sequence")
  func fullQueue() throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        gate.wait()
        while socket.receive() != nil {}
      }
    }
    let piece = WebSocketMessage.binary(Data(count: 1 << 18))
    let sequence = provider.rx.webSocket(
      LoopbackTarget(server, "/"), options: WebSocketOptions(sendQueueLimit: 1 << 20),
      sending: .from(Array(repeating: piece, count: 200)))
    let error = #expect(throws: NetworkError.self) { try sequence.toBlocking().toArray() }
    #expect(error?.underlyingError as? WebSocketError == .sendQueueFull(limit: 1 << 20))
    gate.signal()
    try server.waitUntil { $0.openConnections == 0 }
  }

  /// How a connection ends whose server does not read.
  enum Ending: CaseIterable {
    case cut, closed, full, timeout, failed
  }

  @Test(
    "what a connection has not sent is reported in order, before the sequence ends",
    arguments: Ending.allCases)
  func unsent(ending: Ending) throws {
    // More than the buffers of a connection hold, to a server that does not read.
    let sent = (0..<200).map { WebSocketMessage.binary(Data(repeating: UInt8($0), count: 200_000)) }
    let (isFull, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.send(.text("go"))
        isFull.wait()
        switch ending {
        case .cut: socket.abort()
        case .closed: socket.close(code: 1011)
        case .full, .timeout, .failed: break
        }
        mayEnd.wait()
        socket.abort()
      }
    }
    let events = Lock([String]())
    let unsent = Lock([WebSocketMessage]())
    let hasEnded = DispatchSemaphore(value: 0)
    let options = WebSocketOptions(
      offersCompression: false, sendQueueLimit: ending == .full ? 20_000_000 : 1 << 30, pingInterval: .zero,
      closeTimeout: .milliseconds(100))
    let failure: Observable<WebSocketMessage> = ending == .failed ? .error(CancellationError()) : .never()
    let subscription = provider.rx.webSocket(
      LoopbackTarget(server, "/"), options: options,
      sending: ending == .timeout ? .from(sent) : .concat([.from(sent), failure]),
      closesAfterSending: ending == .timeout,
      unsent: AnyObserver { event in
        guard case .next(let message) = event else { return }
        unsent.withLock { $0.append(message) }
        events.withLock { if $0.last != "unsent" { $0.append("unsent") } }
      }
    ).subscribe { event in
      if case .next = event {
        isFull.signal()
        return
      }
      events.withLock { $0.append("end") }
      hasEnded.signal()
    }
    hasEnded.wait()
    isFull.signal()
    mayEnd.signal()
    subscription.dispose()
    #expect(events.withLock { $0 } == ["unsent", "end"])
    let reported = unsent.withLock { $0 }
    #expect(!reported.isEmpty)
    let numbers = reported.compactMap { $0.data.first }
    #expect(numbers == numbers.sorted())
    // One that did not fit is not the last one.
    if ending != .full { #expect(numbers == Array(UInt8(200 - reported.count)..<200)) }
  }
}
