import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

/// The article's examples, about the service of the article on WebSockets.
extension WebSocketExamples {
  func topicInVirtualTime() -> [String] {
    let time = ManualDelayScheduler()
    let stubs = StubTable<Exchange>()
    stubs.add(
      path: "/feed",
      [
        .webSocket([
          .receive(.text("+BTC")), .wait(.seconds(60)), .send(.text("BTC:100")), .receive(.text("-BTC")),
        ])
      ])
    let feed = NetworkProvider<Exchange>(stubs: stubs, scheduler: time).rx.webSocketSubject(.feed)
    nonisolated(unsafe) var texts: [String] = []
    let subscription = topic("BTC", of: feed).subscribe(onNext: { texts.append($0) })
    time.advance(by: .seconds(60))
    subscription.dispose()
    return texts
  }

  func pricesInMarbles() throws -> TestableObserver<Double> {
    let scheduler = TestScheduler(initialClock: 0)
    let ticks = try Marbles(scheduler: scheduler)
      .cold("--a---b|", values: ["a": WebSocketMessage.text(#"{"price": 1}"#), "b": .text(#"{"price": 2}"#)])
      .asObservable()
    let stubs = StubTable<Exchange>()
    stubs.add(path: "/ticker", [.webSocket(WebSocketScript { sent in ticks })])
    let provider = NetworkProvider<Exchange>(stubs: stubs, scheduler: scheduler.asDelayScheduler())
    return scheduler.start { provider.rx.webSocket(.ticker).decode(Tick.self).map(\.price) }
  }
}

@Suite("Examples in Test WebSockets", .timeLimit(.minutes(5)))
struct TestingWebSocketsTests {
  @Test("a message comes back")
  func greet() async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
      }
    }
    #expect(try await WebSocketExamples(at: server).greet(in: "lobby") == "hello")
    #expect(server.log.requests.map(\.method) == ["GET"])
  }

  @Test("a script and marbles are the server, in virtual time")
  func stubs() throws {
    let server = try LoopbackServer { _ in .status(500) }
    #expect(WebSocketExamples(at: server).topicInVirtualTime() == ["BTC:100"])
    #expect(
      try WebSocketExamples(at: server).pricesInMarbles().events == [
        .next(202, 1), .next(206, 2), .completed(207),
      ])
    #expect(server.log.requestCount == 0)
  }
}

extension WebSocketExamples {
  func record(in folder: URL) throws -> NetworkProvider<Exchange> {
    NetworkProvider(transport: try RecordingTransport(CurlTransport(), folder: folder))
  }

  func replay(from folder: URL) throws -> NetworkProvider<Exchange> {
    NetworkProvider(transport: try ReplayTransport(folder: folder))
  }
}
