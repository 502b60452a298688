import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite
import Testing

/// The examples in the article, about one service.
struct WebSocketExamples {
  let provider: NetworkProvider<Exchange>

  init(at server: LoopbackServer) {
    provider = NetworkProvider(at: server)
  }

  enum Exchange: TargetType {
    case chat(room: String)
    case ticker
    case feed

    var baseURL: URL { URL(string: "wss://exchange.example")! }

    var path: String {
      switch self {
      case .chat(let room): "/chat/\(room)"
      case .ticker: "/ticker"
      case .feed: "/feed"
      }
    }
  }

  func greet(in room: String) async throws -> String? {
    let socket = try await provider.webSocket(.chat(room: room))
    try await socket.send(.text("hello"))
    for try await message in socket {
      if let text = message.text { return text }
    }
    return nil
  }

  func prices(sending commands: Observable<WebSocketMessage> = .never()) -> Observable<Double> {
    provider.rx.webSocket(.ticker, sending: commands)
      .decode(Tick.self)
      .map(\.price)
      .retry(backoff: .exponential(initial: .milliseconds(100)), maxAttempts: 10, resetOnSuccess: true)
  }

  struct Tick: Decodable, Sendable {
    let price: Double
  }

  func messages(of rooms: Observable<String>) -> Observable<String> {
    rooms.flatMapLatest { room in
      provider.rx.webSocket(.chat(room: room)).compactMap(\.text)
    }
  }

  func topic(_ name: String, of feed: WebSocketSubject) -> Observable<String> {
    feed.multiplex(subscribe: .text("+\(name)"), unsubscribe: .text("-\(name)")) { message in
      message.text?.hasPrefix("\(name):") == true
    }
    .compactMap(\.text)
  }

  func both() -> Observable<String> {
    let feed = provider.rx.webSocketSubject(.feed)
    return Observable.merge(topic("BTC", of: feed), topic("ETH", of: feed))
  }
}

@Suite("Examples in WebSockets", .timeLimit(.minutes(5)))
struct WebSocketsTests {
  @Test("another connection is opened if one breaks, is refused for a while, or closes for a restart")
  func prices() async throws {
    let count = Lock(0)
    let server = try LoopbackServer { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      guard number != 2 else { return .status(503) }
      return .webSocket { socket in
        socket.send(.text(#"{"price": \#(number)}"#))
        switch number {
        case 1: socket.abort()
        case 3: socket.close(code: 1012)
        default: socket.close(code: 1000)
        }
      }
    }
    let prices = try await Array(WebSocketExamples(at: server).prices().values)
    #expect(prices == [1, 3, 4])
  }

  @Test("a newer room closes the connection of the older one")
  func rooms() async throws {
    let server = try LoopbackServer { request in
      .webSocket { socket in
        socket.send(.text(request.path))
        while socket.receive() != nil {}
      }
    }
    let rooms = BehaviorSubject(value: "a")
    var texts = WebSocketExamples(at: server).messages(of: rooms.asObservable()).values.makeAsyncIterator()
    #expect(try await texts.next() == "/chat/a")
    rooms.onNext("b")
    #expect(try await texts.next() == "/chat/b")
    try await server.log { $0.openConnections == 1 }
  }

  @Test("two topics share one connection")
  func topics() async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while case .text(let text)? = socket.receive() { socket.send(.text("\(text.dropFirst()):1")) }
      }
    }
    let texts = try await Array(WebSocketExamples(at: server).both().take(2).values)
    #expect(Set(texts) == ["BTC:1", "ETH:1"])
    #expect(server.log.requestCount == 1)
  }
}
