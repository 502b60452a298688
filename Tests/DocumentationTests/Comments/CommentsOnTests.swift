import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import RxLite
import RxLiteTesting
import Testing

private func use(_: Any...) {}

@Suite("Examples in the comments of test helpers")
struct CommentsOnTests {
  @Test("an element that is followed too soon is dropped")
  func drops() throws {
    let marbles = Marbles()
    let typed = try marbles.hot("-a-bc---d|")
    let settled = typed.debounce(.seconds(2), scheduler: marbles.scheduler)
    try marbles.expect("------c--(d|)", from: settled)
    try marbles.expect(subscriptions: "^--------!", of: typed)
  }

  @Test("recorded events and subscriptions match the comment")
  func recorded() {
    let scheduler = TestScheduler(initialClock: 0)
    let xs = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let observer = scheduler.start { xs.map { $0 * 10 } }
    #expect(observer.events == [.next(210, 10), .next(220, 20), .completed(230)])
    #expect(xs.subscriptions == [Subscription(200, 230)])
  }

  @Test("an immediate scheduler does not wait")
  func immediate() {
    nonisolated(unsafe) var found: [String] = []
    let typed = PublishSubject<String>()
    let settled = typed.debounce(.seconds(1), scheduler: ImmediateScheduler())
    let subscription = settled.subscribe(onNext: { found.append($0) })
    typed.onNext("swift")
    #expect(found == ["swift"])
    subscription.dispose()
  }

  @Test("an unimplemented scheduler fails the test that uses it")
  func unimplemented() {
    let unused = UnimplementedScheduler { Issue.record("\($0)") }
    let names = Observable.just("ash").retry(.delayed(maxCount: 3, time: 1), scheduler: unused)
    nonisolated(unsafe) var received: [String] = []
    _ = names.subscribe(onNext: { received.append($0) })
    #expect(received == ["ash"])
    withKnownIssue { _ = names.timeout(.seconds(5), scheduler: unused).subscribe() }
  }
}

private func trustServer() throws {
  let server = try LoopbackServer(tls: .generated) { _ in .text("secret") }
  var configuration = CurlConfiguration()
  configuration.tls.authorities = .data(server.authority)
  use(server, configuration)
}

private struct Model {
  let names = Observable.just("ash")
  let counts = Observable.just(1)
}

private func record(_ model: Model, _ scheduler: TestScheduler) {
  let (names, counts) = (scheduler.record(model.names), scheduler.record(model.counts))
  scheduler.start()
  use(names, counts)
}

private func lock() -> [Int] {
  let waiting = Lock([Int]())
  waiting.withLock { $0.append(1) }
  let all = waiting.withLock { queue in
    defer { queue.removeAll() }
    return queue
  }
  return all
}

private func queue() -> [String?] {
  var queue = Queue<String>()
  let number = queue.append("a")
  queue.append("b")
  let removed = queue.remove(number)  // "a"
  let next = queue.popFirst()  // "b"
  return [removed, next]
}

private func outbox(_ state: borrowing Lock<(outbox: Outbox<Int>, count: Int)>, _ new: Int) {
  func deliver(_ item: Int) {}
  var item = state.withLock { state in
    state.outbox.append(new)
    return state.outbox.start()
  }
  while let current = item {
    deliver(current)
    item = state.withLock { $0.outbox.next() }
  }
}

// The examples of LoopbackServer, Gate and Reply run in LoopbackServerTests.
private func server() throws {
  let server = try LoopbackServer { request in
    request.path == "/zen" ? .text("Keep it simple.") : .status(404)
  }
  server.route("GET", "/users/:name") { request in
    .json(#"{"login": "\#(request.parameters["name"] ?? "")"}"#).delayed(by: .milliseconds(300))
  }
  server.route("/hangs") { _ in .never }
  try server.waitUntil { $0.abandoned.count == 1 }
  let gate = LoopbackServer.Gate()
  server.route("/slow") { _ in .text("done").held(until: gate) }
  gate.open()
}

private func replies(_ image: Data) -> [LoopbackServer.Reply] {
  func first() -> LoopbackServer.Reply {
    .json(#"{"ok": true}"#).delayed(by: .seconds(1))
  }
  func second() -> LoopbackServer.Reply {
    .bytes(image, type: "image/png").chunked().trickled(chunk: 512, every: .milliseconds(20))
  }
  func third() -> LoopbackServer.Reply {
    .text("Half of this").truncated(after: 7)
  }
  return [first(), second(), third()]
}

private func sockets(_ server: LoopbackServer) {
  server.route("/echo") { _ in
    .webSocket { socket in
      while let message = socket.receive() { socket.send(message) }
    }
  }
}
