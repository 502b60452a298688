import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("A request that takes too long", .timeLimit(.minutes(5)))
struct TimeoutTests {
  @Test("timeout fails with RxError.timeout and cancels the transfer")
  func virtualTime() async throws {
    let server = try LoopbackServer { _ in .never }
    let notes = Log()
    let provider = NetworkProvider<LoopbackTarget>(plugins: [LoggingPlugin(notes: notes)])
    let scheduler = TestScheduler(initialClock: 0)
    let subscription = provider.rx.request(LoopbackTarget(server, "/"))
      .timeout(.seconds(30), scheduler: scheduler)
      .subscribe(
        onSuccess: { _ in notes.add("success") },
        onFailure: { notes.add(($0 as? RxError).map { "\($0)" } ?? "other") })
    try await server.log(until: { $0.pending == 1 })
    scheduler.advanceTo(29)
    #expect(server.log.abandoned.isEmpty)
    #expect(notes.all == ["willSend"])
    scheduler.advanceTo(31)
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    #expect(notes.all.sorted() == ["\(RxError.timeout)", "didReceive cancelled", "willSend"].sorted())
    subscription.dispose()
  }

  @Test("debounce sends only the last of several texts")
  func debounce() async throws {
    let server = try LoopbackServer { .text($0.path) }
    let provider = NetworkProvider<LoopbackTarget>()
    let scheduler = TestScheduler(initialClock: 0)
    let paths = PublishSubject<String>()
    let (texts, continuation) = AsyncStream.makeStream(of: String.self)
    let subscription = paths.debounce(.seconds(3), scheduler: scheduler).distinctUntilChanged()
      .flatMapLatest { provider.rx.request(LoopbackTarget(server, $0)).mapString() }
      .subscribe(onNext: { continuation.yield($0) })
    for path in ["/s", "/sw", "/swift"] { paths.onNext(path) }
    scheduler.advanceTo(4)
    paths.onNext("/swift")
    scheduler.advanceTo(8)
    for await text in texts {
      #expect(text == "/swift")
      break
    }
    #expect(server.log.requests.map(\.path) == ["/swift"])
    subscription.dispose()
  }
}
