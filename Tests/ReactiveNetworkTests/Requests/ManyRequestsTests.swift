import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("Many requests", .timeLimit(.minutes(5)))
struct ManyRequestsTests {
  @Test("10,000 requests, subscribed to and disposed, leave no descriptor, thread, object or memory behind")
  func tenThousand() async {
    // In a separate process, in which no other test opens descriptors.
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer { _ in .never }
      let notes = Log()
      let count = TrackedObject.LiveCount()
      let provider = NetworkProvider<LoopbackTarget>(plugins: [LoggingPlugin(notes: notes)])
      func round(_ number: Int) async throws {
        let subscriptions = (0..<100).map { index in
          provider.rx.request(LoopbackTarget(server, "/\(index)", companion: TrackedObject(count)))
            .filterSuccessfulStatusCodes().mapString().asObservable()
            .subscribe(onNext: { _ in notes.add("next") }, onError: { _ in notes.add("error") })
        }
        try await server.log(until: { $0.pending == 100 })
        for subscription in subscriptions { subscription.dispose() }
        try await server.log(until: { $0.abandoned.count == 100 * number && $0.openConnections == 0 })
      }
      for number in 1...10 { try await round(number) }
      let (descriptors, threads) = (ProcessFacts.descriptors, ProcessFacts.threads)
      let memory = ProcessFacts.residentMemory
      for number in 11...110 { try await round(number) }
      // The log is a little ahead: the transport releases the last objects after it, in a minute at most.
      for _ in 0..<12_000 where count.value > 0 { try await Task.sleep(for: .milliseconds(5)) }
      // A loaded system may open a timer or an event once; a descriptor for each round of requests would be too many.
      if let descriptors, let now = ProcessFacts.descriptors { #expect(now < descriptors + 50) }
      if let threads, let now = ProcessFacts.threads { #expect(now < threads + 50) }
      // The server's log and the notes alone use some memory; 10,000 bodies or handles would use ten times
      // that.
      if let memory, let now = ProcessFacts.residentMemory { #expect(now < memory + 40_000) }
      #expect(count.value == 0)
      #expect(notes.all.count { $0 == "willSend" } == 11_000)
      #expect(notes.all.count { $0 == "didReceive cancelled" } == 11_000)
      #expect(notes.all.count == 22_000)
      server.stop()
      withExtendedLifetime(provider) {}
    }
  }

  @Test("1,000 completed requests leave no object behind")
  func answered() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let count = TrackedObject.LiveCount()
    let provider = NetworkProvider<LoopbackTarget>()
    for number in 0..<1_000 {
      let page = LoopbackTarget(server, "/\(number)", companion: TrackedObject(count))
      #expect(try await provider.rx.request(page).result().get().statusCode == 200)
    }
    // The transport's thread releases its objects right after the delivery; another exchange makes sure that
    // it has.
    _ = await provider.rx.request(LoopbackTarget(server, "/")).result()
    #expect(count.value == 0)
    #expect(server.log.connectionsAccepted < 10)
  }
}
