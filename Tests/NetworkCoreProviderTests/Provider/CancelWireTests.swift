import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Cancelled requests of a provider on the wire", .timeLimit(.minutes(5)))
struct CancelWireTests {
  @Test(
    "the server sees the connection close, and a plugin one willSend and one didReceive",
    arguments: TransportKind.allCases)
  func beforeTheAnswer(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .never }
    let log = Log()
    let provider = NetworkProvider<LoopbackTarget>(
      transport: try kind.make(), plugins: [LoggingPlugin(name: "A", log: log)])
    let outcome = CompletionRecorder()
    let token = provider.request(LoopbackTarget(server), completion: outcome.completion)
    try await server.log(until: { $0.pending == 1 })
    token.cancel()
    #expect(outcome.summaries == ["cancelled"])
    token.cancel()
    let seen = try await server.log(until: { $0.openConnections == 0 })
    #expect(seen.abandoned.map(\.phase) == [.waiting])
    #expect(seen.answered == 0)
    #expect(outcome.summaries == ["cancelled"])
    #expect(log.all == ["A prepare", "A willSend A", "A didReceive cancelled", "A process cancelled"])
  }

  @Test("the server sees it while the completion still runs", arguments: TransportKind.allCases)
  func beforeTheCompletion(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let serverSawIt = DispatchSemaphore(value: 0)
    let (ended, end) = AsyncStream.makeStream(of: DispatchTimeoutResult.self)
    let token = provider.request(LoopbackTarget(server)) { _ in
      end.yield(serverSawIt.wait(timeout: .now() + 30))
    }
    try await server.log(until: { $0.pending == 1 })
    Thread.detachNewThread { token.cancel() }
    try await server.log(until: { $0.abandoned.count == 1 })
    serverSawIt.signal()
    for await result in ended {
      #expect(result == .success)
      break
    }
  }

  @Test("in the middle of the body, it drops the part that had arrived", arguments: TransportKind.allCases)
  func withinTheBody(kind: TransportKind) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .repeating(7, count: 100_000).bodyHeld(until: gate, after: 50_000)
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let token = Lock<(any Cancellable)?>(nil)
    let ending = CompletionStream()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let started = provider.request(
      LoopbackTarget(server), progress: { _ in begin.yield() }, completion: ending.completion)
    token.withLock { $0 = started }
    for await _ in begun { break }
    started.cancel()
    guard case .failure(let error) = await ending.next() else {
      Issue.record("a cancelled request succeeded")
      return
    }
    #expect(error.isCancelled)
    #expect(error.response == nil)
    #expect(try await server.log(until: { $0.abandoned.count == 1 }).abandoned.map(\.phase) == [.sending])
  }

  @Test("cancelling one of two requests does not affect the other", arguments: TransportKind.allCases)
  func oneOfTwo(kind: TransportKind) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("ok").held(until: gate) }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let (first, second) = (CompletionStream(), CompletionStream())
    let token = provider.request(LoopbackTarget(server, "/1"), completion: first.completion)
    provider.request(LoopbackTarget(server, "/2"), completion: second.completion)
    try await server.log(until: { $0.pending == 2 })
    token.cancel()
    try await server.log(until: { $0.abandoned.map(\.request.path) == ["/1"] })
    gate.open()
    #expect(await first.next().summary == "cancelled")
    #expect(await second.next().summary == "200")
  }

  @Test("10,000 cancelled requests leave no descriptor and no thread behind")
  func tenThousand() async {
    // In a separate process, in which no other test opens descriptors.
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer { _ in .never }
      let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
      let ends = Lock(0)
      func round(_ number: Int) async throws {
        let tokens = (0..<100).map { _ in
          provider.request(LoopbackTarget(server)) {
            if $0.summary == "cancelled" { ends.withLock { $0 += 1 } }
          }
        }
        try await server.log(until: { $0.pending == 100 })
        for token in tokens { token.cancel() }
        try await server.log(until: { $0.abandoned.count == 100 * number && $0.openConnections == 0 })
      }
      try await round(1)
      let (descriptors, threads) = (ProcessFacts.descriptors, ProcessFacts.threads)
      for number in 2...100 { try await round(number) }
      #expect(ends.withLock { $0 } == 10_000)
      #expect(ProcessFacts.descriptors == descriptors)
      if let threads, let now = ProcessFacts.threads { #expect(now < threads + 50) }
      server.stop()
      withExtendedLifetime(provider) {}
    }
  }
}
