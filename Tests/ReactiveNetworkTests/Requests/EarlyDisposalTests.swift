import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("Operators that end a request early", .timeLimit(.minutes(5)))
struct EarlyDisposalTests {
  private let notes = Log()

  private func provider() -> NetworkProvider<LoopbackTarget> {
    NetworkProvider(plugins: [LoggingPlugin(notes: notes)])
  }

  @Test("flatMapLatest cancels the older transfer")
  func flatMapLatest() async throws {
    let server = try LoopbackServer { $0.path == "/new" ? .text("newer") : .never }
    let provider = provider()
    let paths = PublishSubject<String>()
    let (texts, continuation) = AsyncStream.makeStream(of: String.self)
    let subscription = paths.flatMapLatest { provider.rx.request(LoopbackTarget(server, $0)).mapString() }
      .subscribe(onNext: { continuation.yield($0) }, onError: { continuation.yield("\($0)") })
    paths.onNext("/old")
    try await server.log(until: { $0.pending == 1 })
    paths.onNext("/new")
    for await text in texts {
      #expect(text == "newer")
      break
    }
    let log = try await server.log(until: { $0.abandoned.count == 1 && $0.answered == 1 })
    #expect(log.abandoned.map(\.request.path) == ["/old"])
    #expect(notes.all.sorted() == ["didReceive 200", "didReceive cancelled", "willSend", "willSend"])
    subscription.dispose()
  }

  @Test("take(until:) completes and closes the connection")
  func takeUntil() async throws {
    let server = try LoopbackServer { _ in .never }
    let quit = PublishSubject<Void>()
    let (ends, continuation) = AsyncStream.makeStream(of: String.self)
    let subscription = provider().rx.request(LoopbackTarget(server, "/")).asObservable().take(until: quit)
      .subscribe(
        onNext: { _ in continuation.yield("next") }, onError: { continuation.yield("\($0)") },
        onCompleted: { continuation.yield("completed") })
    try await server.log(until: { $0.pending == 1 })
    quit.onNext(())
    for await end in ends {
      #expect(end == "completed")
      break
    }
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    #expect(notes.all == ["willSend", "didReceive cancelled"])
    subscription.dispose()
  }

  @Test("an error in merge cancels the other transfers")
  func merge() async throws {
    let server = try LoopbackServer { $0.path == "/bad" ? .status(500) : .never }
    let gate = LoopbackServer.Gate()
    server.route("/gated") { _ in .status(500).held(until: gate) }
    let provider = provider()
    let pages = ["/1", "/2", "/gated"].map { path in
      provider.rx.request(LoopbackTarget(server, path)).filterSuccessfulStatusCodes().asObservable()
    }
    let (errors, continuation) = AsyncStream.makeStream(of: Int?.self)
    let merged = Observable.merge(pages)
    let subscription = merged.subscribe(
      onError: { continuation.yield(($0 as? NetworkError)?.response?.statusCode) })
    try await server.log(until: { $0.pending == 3 })
    gate.open()
    for await status in errors {
      #expect(status == 500)
      break
    }
    let log = try await server.log(until: { $0.abandoned.count == 2 })
    #expect(Set(log.abandoned.map(\.request.path)) == ["/1", "/2"])
    subscription.dispose()
  }

  @Test("share uses one transfer for all subscribers, and cancels it with the last")
  func share() async throws {
    let server = try LoopbackServer { _ in .never }
    let shared = provider().rx.request(LoopbackTarget(server, "/")).asObservable().share()
    let subscriptions = (0..<3).map { _ in shared.subscribe() }
    try await server.log(until: { $0.pending == 1 })
    subscriptions[0].dispose()
    subscriptions[1].dispose()
    #expect(notes.all == ["willSend"])
    subscriptions[2].dispose()
    let log = try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    #expect(log.requestCount == 1)
    #expect(notes.all == ["willSend", "didReceive cancelled"])
  }

  @Test("retry sends a failed request again")
  func retry() async throws {
    let server = try LoopbackServer { _ in .status(404) }
    server.route("/flaky") { [weak server] _ in (server?.log.requestCount ?? 0) < 3 ? .close : .text("third")
    }
    let request = provider().rx.request(LoopbackTarget(server, "/flaky")).asObservable().retry(3).asSingle()
    #expect(try await request.result().get().mapString() == "third")
    #expect(notes.all.count { $0 == "willSend" } == 3)
  }
}
