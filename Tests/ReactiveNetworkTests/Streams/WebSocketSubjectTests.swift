import Dispatch
import Foundation
import LoopbackServer
import ReactiveNetwork
import ReactiveNetworkLock
import Testing

@Suite("rx.webSocketSubject", .timeLimit(.minutes(5)))
struct WebSocketSubjectTests {
  private let provider: NetworkProvider<LoopbackTarget>
  /// The texts that the server has received, with the number of their connection.
  private let received = TextLog()

  private final class TextLog: Sendable {
    private let state = Lock((lines: [String](), connections: 0))
    func connect() -> Int {
      state.withLock { state in
        state.connections += 1
        return state.connections
      }
    }
    func add(_ line: String) { state.withLock { $0.lines.append(line) } }
    var lines: [String] { state.withLock { $0.lines } }
  }

  init() throws {
    provider = NetworkProvider(transport: try CurlTransport())
  }

  /// A server with topics: "+a" is answered with "a 1" and "a 2", "close" with the close code 1011.
  ///
  /// It answers no handshake before `opening` is signalled.
  private func feed(after opening: DispatchSemaphore = DispatchSemaphore(value: 1)) throws -> LoopbackServer {
    let received = received
    return try LoopbackServer { _ in
      opening.wait()
      opening.signal()
      return .webSocket { socket in
        let number = received.connect()
        while case .text(let text)? = socket.receive() {
          received.add("\(number) \(text)")
          if text == "close" { return socket.close(code: 1011) }
          guard text.hasPrefix("+") else { continue }
          for count in 1...2 { socket.send(.text("\(text.dropFirst()) \(count)")) }
        }
      }
    }
  }

  private func topic(_ name: String, of subject: WebSocketSubject) -> Observable<String> {
    subject.multiplex(subscribe: .text("+\(name)"), unsubscribe: .text("-\(name)")) {
      $0.text?.hasPrefix("\(name) ") == true
    }.compactMap(\.text)
  }

  @Test("topics share one connection, which the last one closes; each is announced and taken back")
  func topics() throws {
    let server = try feed()
    let subject = provider.rx.webSocketSubject(LoopbackTarget(server, "/"))
    let both = Observable.zip(topic("a", of: subject).take(2), topic("b", of: subject).take(2)) {
      $0 + ", " + $1
    }
    let held = topic("c", of: subject).replayAll()
    let connection = held.connect()
    _ = try held.take(1).toBlocking().toArray()
    #expect(try both.toBlocking().toArray() == ["a 1, b 1", "a 2, b 2"])
    subject.send(.text("and this"))
    _ = try topic("d", of: subject).take(1).toBlocking().toArray()
    #expect(server.log.requestCount == 1)
    connection.dispose()
    try server.waitUntil { $0.openConnections == 0 }
    let lines = received.lines
    #expect(Set(lines).isSuperset(of: ["1 +a", "1 +b", "1 -a", "1 -b", "1 +c", "1 and this", "1 +d"]))
    let place = { (line: String) in lines.firstIndex(of: line) ?? -1 }
    #expect(place("1 +c") == 0)
    #expect(place("1 and this") > place("1 -a"))
    #expect(place("1 +d") > place("1 and this"))
  }

  @Test("the messages are delivered on the callback queue")
  func callbackQueue() throws {
    let server = try LoopbackServer { _ in .webSocket { socket in socket.send(.text("first")) } }
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "callbacks")
    queue.setSpecific(key: key, value: "callbacks")
    let labels = try provider.rx.webSocketSubject(LoopbackTarget(server, "/"), callbackQueue: queue)
      .map { _ in DispatchQueue.getSpecific(key: key) }
      .take(1).toBlocking().toArray()
    #expect(labels == ["callbacks"])
  }

  @Test("messages that are sent before the first subscription wait for it, in order")
  func early() throws {
    let server = try feed()
    let subject = provider.rx.webSocketSubject(LoopbackTarget(server, "/"))
    for number in 0..<100 { subject.send(.text("\(number)")) }
    _ = try topic("a", of: subject).take(1).toBlocking().toArray()
    try server.waitUntil { $0.openConnections == 0 }
    #expect(Array(received.lines.prefix(101)) == (0..<100).map { "1 \($0)" } + ["1 +a"])
  }

  @Test("if too much waits for a connection, it fails and the one after it does not")
  func tooMuch() throws {
    let server = try feed()
    let subject = provider.rx.webSocketSubject(
      LoopbackTarget(server, "/"), options: .init(sendQueueLimit: 100))
    var unsent: [Int] = []
    let reports = subject.unsent.subscribe(onNext: { unsent.append($0.byteCount) })
    for count in [20, 30, 101, 7] { subject.send(.binary(Data(count: count))) }
    #expect(unsent == [20, 30, 101, 7])
    reports.dispose()
    #expect {
      try subject.toBlocking().first()
    } throws: { error in
      guard case .underlying(WebSocketError.sendQueueFull(limit: 100), _)? = error as? NetworkError else {
        return false
      }
      return true
    }
    #expect(try topic("a", of: subject).take(2).toBlocking().toArray() == ["a 1", "a 2"])
  }

  @Test("empty messages that wait for a connection count towards the limit")
  func emptyMessages() throws {
    let server = try feed()
    let subject = provider.rx.webSocketSubject(
      LoopbackTarget(server, "/"), options: .init(sendQueueLimit: 1_000))
    var unsent = 0
    let reports = subject.unsent.subscribe(onNext: { _ in unsent += 1 })
    for _ in 0..<100 { subject.send(.binary(Data())) }
    #expect(unsent > 0)
    reports.dispose()
  }

  @Test("after refused handshakes, each topic is announced once, and what was sent before them is kept")
  func refused() throws {
    let refusals = Lock(3)
    let received = received
    let server = try LoopbackServer { _ in
      let isRefused = refusals.withLock { refusals in
        refusals -= 1
        return refusals >= 0
      }
      guard !isRefused else { return .status(503) }
      return .webSocket { socket in
        while case .text(let text)? = socket.receive() {
          received.add(text)
          if text == "+a" { socket.send(.text("a 1")) }
        }
      }
    }
    let subject = provider.rx.webSocketSubject(LoopbackTarget(server, "/"))
    subject.send(.text("first"))
    #expect(try topic("a", of: subject).retry(4).take(1).toBlocking().toArray() == ["a 1"])
    try server.waitUntil { $0.openConnections == 0 }
    #expect(received.lines.filter { $0 != "-a" } == ["first", "+a"])
  }

  @Test("topics whose handshakes were refused do not count towards the limit")
  func refusedTopics() throws {
    let refusals = Lock(3)
    let areSubscribed = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { _ in
      areSubscribed.wait()
      areSubscribed.signal()
      let isRefused = refusals.withLock { refusals in
        refusals -= 1
        return refusals >= 0
      }
      guard !isRefused else { return .status(503) }
      return .webSocket { socket in
        while case .text(let text)? = socket.receive() { socket.send(.text("\(text.dropFirst()) 1")) }
      }
    }
    // Two topics fit, and three do not.
    let subject = provider.rx.webSocketSubject(
      LoopbackTarget(server, "/"), options: .init(sendQueueLimit: 150))
    let both = Observable.zip(topic("a", of: subject).retry(4), topic("b", of: subject).retry(4)) {
      $0 + ", " + $1
    }.replayAll()
    let connection = both.connect()
    areSubscribed.signal()
    #expect(try both.take(1).toBlocking().toArray() == ["a 1, b 1"])
    connection.dispose()
  }

  @Test("a topic that ends before the connection opens is not announced", arguments: [false, true])
  func endedEarly(isHeld: Bool) throws {
    let isDisposed = DispatchSemaphore(value: 0)
    let server = try feed(after: isDisposed)
    let subject = provider.rx.webSocketSubject(LoopbackTarget(server, "/"))
    let holder = isHeld ? subject.subscribe() : Disposables.create()
    topic("a", of: subject).subscribe().dispose()
    isDisposed.signal()
    #expect(try topic("b", of: subject).take(1).toBlocking().toArray() == ["b 1"])
    holder.dispose()
    try server.waitUntil { $0.openConnections == 0 }
    #expect(!received.lines.contains { $0.hasSuffix("a") })
  }

  @Test("after an end, retry subscribes again over another connection, and takes nothing back on it")
  func retried() throws {
    let server = try feed()
    let subject = provider.rx.webSocketSubject(LoopbackTarget(server, "/"))
    let ending = Lock(true)
    let texts = try topic("a", of: subject)
      .do(onNext: { text in
        let mustEnd = ending.withLock { isFirst in
          defer { if text == "a 2" { isFirst = false } }
          return isFirst && text == "a 2"
        }
        if mustEnd { subject.send(.text("close")) }
      })
      .retry(2).take(4).toBlocking().toArray()
    #expect(texts == ["a 1", "a 2", "a 1", "a 2"])
    try server.waitUntil { $0.openConnections == 0 }
    #expect(server.log.requestCount == 2)
    #expect(received.lines.filter { $0.hasPrefix("1") } == ["1 +a", "1 close"])
    #expect(received.lines.first { $0.hasPrefix("2") } == "2 +a")
  }
}
