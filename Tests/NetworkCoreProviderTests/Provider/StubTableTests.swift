import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Stub tables and stubs in controlled time")
struct StubTableTests {
  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let log = Log()
  private let time = ManualDelayScheduler()
  private let stubs = StubTable<GitHub>()

  private func provider(_ interceptors: [any RequestInterceptor] = []) -> NetworkProvider<GitHub> {
    NetworkProvider(transport: transport, interceptors: interceptors, stubs: stubs, scheduler: time)
  }

  @Test("responses come in order, and the last one is repeated")
  func sequence() {
    stubs.add(path: "/zen", [.networkResponse(500, Data()), .networkResponse(203, Data())])
    for _ in 0..<3 { provider().request(.zen, completion: outcome.completion) }
    #expect(outcome.summaries == ["500", "203", "203"])
    #expect(transport.transfers.isEmpty)
  }

  @Test("each attempt takes the next response")
  func retried() {
    stubs.add(path: "/zen", [.networkResponse(503, Data()), .networkResponse(200, Data("a".utf8))])
    provider([RetryPolicy()]).request(.zen, completion: outcome.completion)
    time.advance(by: .seconds(1))
    #expect(outcome.summaries == ["200"])
  }

  @Test("a target without an entry, or with another method, uses the stubClosure")
  func unmatched() {
    defer { transport.finish() }
    stubs.add(.post, path: "/zen", [.networkResponse(200, Data())])
    provider().request(.zen, completion: outcome.completion)
    provider().request(.profile("ash"), completion: outcome.completion)
    #expect(transport.transfers.count == 2)
  }

  @Test("the last matching entry applies, and none after removeAll")
  func precedence() {
    defer { transport.finish() }
    stubs.add(where: { _ in true }, [.networkResponse(201, Data())])
    stubs.add(path: "/zen", [.networkResponse(202, Data())])
    provider().request(.zen, completion: outcome.completion)
    provider().request(.profile("ash"), completion: outcome.completion)
    #expect(outcome.summaries == ["202", "201"])
    stubs.removeAll()
    provider().request(.zen, completion: outcome.completion)
    #expect(transport.transfers.count == 1)
  }

  @Test("an entry without responses uses the target's sample")
  func ownSample() {
    stubs.add(path: "/zen", [])
    provider().request(.zen, completion: outcome.completion)
    #expect(outcome.response?.data == GitHub.zen.sampleData)
  }

  @Test("a delay passes when the test advances the time, and a cancellation ends it at once")
  func delay() {
    stubs.add(path: "/zen", [.networkResponse(200, Data())], behavior: .delayed(seconds: 3_600))
    provider().request(.zen, completion: outcome.completion)
    let token = provider().request(.zen, completion: outcome.completion)
    time.advance(by: .seconds(3_599))
    #expect(outcome.count == 0)
    token.cancel()
    #expect(outcome.summaries == ["cancelled"])
    #expect(time.pendingCount == 1)
    time.advance(by: .seconds(1))
    #expect(outcome.summaries == ["cancelled", "200"])
    #expect(transport.transfers.isEmpty)
  }

  @Test("actions run at their times, in order, including those scheduled meanwhile")
  func order() {
    let (time, log) = (time, log)
    let seconds = { @Sendable in "\(Int(time.now.timeIntervalSince1970))" }
    _ = time.schedule(after: .seconds(2)) { log("b \(seconds())") }
    _ = time.schedule(after: .seconds(1)) {
      log("a \(seconds())")
      _ = time.schedule(after: .seconds(1)) { log("c \(seconds())") }
    }
    time.schedule(after: .seconds(1)) { log("never") }.cancel()
    time.advance(by: .seconds(5))
    #expect(log.all == ["a 1", "b 2", "c 2"])
    #expect(seconds() == "5")
  }

  @Test("a stub's body is reported before the last progress, which has the response")
  func progress() {
    stubs.add(path: "/zen", [.networkResponse(200, Data("abcd".utf8))])
    provider().request(
      .zen, progress: { [log] in log("\($0.completedUnitCount) \($0.completed)") },
      completion: outcome.completion)
    #expect(log.all == ["4 false", "4 true"])
  }

  @Test("the body of an attempt that is retried is not reported, because progress never decreases")
  func progressOfRetries() {
    stubs.add(
      path: "/zen", [.networkResponse(503, Data("abc".utf8)), .networkResponse(200, Data("ok".utf8))])
    provider([RetryPolicy()]).request(
      .zen, progress: { [log] in log("\($0.completedUnitCount) \($0.completed)") },
      completion: outcome.completion)
    time.advance(by: .seconds(1))
    #expect(log.all == ["2 false", "2 true"])
  }

  @Test("an entry with the behavior never sends the requests to the server, whatever the stubClosure")
  func neverEntry() {
    defer { transport.finish() }
    stubs.add(path: "/zen", [], behavior: .never)
    let provider = NetworkProvider<GitHub>(
      stubClosure: NetworkProvider.immediatelyStub, transport: transport, stubs: stubs, scheduler: time)
    provider.request(.zen, completion: outcome.completion)
    provider.request(.profile("ash"), completion: outcome.completion)
    #expect(transport.transfers.map(\.request.url) == ["https://api.github.com/zen"])
    #expect(outcome.summaries == ["200"])
  }
}
