import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Cancellation", .timeLimit(.minutes(5)))
struct CancellationTests {
  @Test(
    "cancelling a request that never gets a response closes its connection",
    arguments: TransportKind.allCases)
  func noResponse(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .never }
    let (transfer, recorder) = (try kind.make()).record(.init(url: server.origin))
    try await server.log(until: { $0.pending == 1 })
    #expect(!transfer.isCancelled)
    transfer.cancel()
    #expect(transfer.isCancelled)
    transfer.cancel()
    #expect(await recorder.waitForEnd().error == .cancelled)
    let log = try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    #expect(log.abandoned.first?.phase == .waiting)
    transfer.cancel()
    #expect(recorder.events.error == .cancelled)
  }

  @Test("a request can be cancelled after its head and within its body", arguments: TransportKind.allCases)
  func midway(kind: TransportKind) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      .text("0123456789").bodyHeld(until: gate, after: request.path == "/head" ? 0 : 5)
    }
    let transport = try kind.make()
    for path in ["/head", "/body"] {
      let (transfer, recorder) = transport.record(.init(url: server.origin + path))
      await recorder.waitUntil { path == "/head" ? $0.heads == 1 : $0.body.count == 5 }
      transfer.cancel()
      let events = await recorder.waitForEnd()
      #expect(events.error == .cancelled)
      #expect(events.body.count == (path == "/head" ? 0 : 5))
    }
    try await server.log(until: { $0.abandoned.count == 2 && $0.openConnections == 0 })
  }

  @Test(
    "a handler can cancel its own request; after a cancellation at the head only the end follows",
    arguments: TransportKind.allCases)
  func reentrant(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("body") }
    let transport = try kind.make()
    let recorder = TransferRecorder(keeping: transport)
    let transfer = Lock<(any Cancellable)?>(nil)
    let gate = LoopbackServer.Gate()
    server.route("/gated") { _ in .text("body").held(until: gate) }
    let started = transport.start(.init(url: "\(server.origin)/gated")) { event in
      if case .head = event {
        let transfer = transfer.withLock { $0 }
        transfer?.cancel()
        transfer?.cancel()
      }
      recorder.record(event)
    }
    transfer.withLock { $0 = started }
    gate.open()
    let events = await recorder.waitForEnd()
    #expect(events.error == .cancelled)
    #expect(events.heads == 1)
    #expect(events.pieces.isEmpty)
  }

  @Test("if redirects are not followed, only the end follows a cancellation at the head as well")
  func reentrantWithoutRedirects() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("body").held(until: gate) }
    var configuration = CurlConfiguration()
    // A transfer that follows redirects drops these events itself.
    configuration.redirects = .doNotFollow
    let transport = try CurlTransport(configuration: configuration)
    let recorder = TransferRecorder(keeping: transport)
    let transfer = Lock<(any Cancellable)?>(nil)
    let started = transport.start(.init(url: server.origin)) { event in
      if case .head = event {
        let transfer = transfer.withLock { $0 }
        transfer?.cancel()
      }
      recorder.record(event)
    }
    transfer.withLock { $0 = started }
    gate.open()
    let events = await recorder.waitForEnd()
    #expect(events.error == .cancelled)
    #expect(events.heads == 1)
    #expect(events.pieces.isEmpty)
  }

  @Test("cancelling after the end has no effect", arguments: TransportKind.allCases)
  func afterEnd(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try kind.make()
    let (transfer, recorder) = transport.record(.init(url: server.origin))
    #expect(await recorder.waitForEnd().error == nil)
    transfer.cancel()
    // The next exchange is queued after the cancellation.
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    #expect(recorder.events.error == nil)
    #expect(recorder.events.errors.count == 1)
  }

  @Test("a request cancelled in the queue never opens a connection", arguments: TransportKind.allCases)
  func inQueue(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let unasked = try LoopbackServer { _ in .text("ok") }
    let transport = try kind.make()
    let queued = TransferRecorder()
    let first = TransferRecorder(keeping: transport)
    // This handler keeps the transport's thread busy, so the request that it starts cannot begin before it is
    // cancelled.
    let transfer = transport.start(.init(url: server.origin).deliveredOnLoop) { event in
      if case .head = event {
        transport.start(.init(url: unasked.origin), handler: queued.record).cancel()
      }
      first.record(event)
    }
    #expect(await first.waitForEnd().error == nil)
    #expect(await queued.waitForEnd().error == .cancelled)
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    #expect(unasked.log.connectionsAccepted == 0)
    withExtendedLifetime(transfer) {}
  }

  @Test("cancelling one request does not affect the others", arguments: TransportKind.allCases)
  func others(kind: TransportKind) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("ok").held(until: gate) }
    let transport = try kind.make()
    let started = (0..<6).map { _ in transport.record(.init(url: server.origin)) }
    try await server.log(until: { $0.pending == 6 })
    for (index, item) in started.enumerated() where index % 2 == 0 { item.transfer.cancel() }
    try await server.log(until: { $0.abandoned.count == 3 })
    gate.open()
    for (index, item) in started.enumerated() {
      #expect(await item.recorder.waitForEnd().error == (index % 2 == 0 ? .cancelled : nil))
    }
  }

  @Test("while names are being resolved, other requests continue")
  func whileResolving() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try CurlTransport()
    let lookups = (0..<20).map { transport.record(.init(url: "http://host-\($0).invalid/")) }
    for lookup in lookups { lookup.transfer.cancel() }
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    for (index, lookup) in lookups.enumerated() {
      // If the system responds at once, the lookup is over before it is cancelled.
      let error = await lookup.recorder.waitForEnd().error
      #expect(error == .cancelled || error == .cannotFindHost("host-\(index).invalid", isUnsent: true))
    }
  }

  @Test(
    "2,000 requests cancelled from four threads end once each, and leave nothing open",
    arguments: TransportKind.allCases)
  func storm(kind: TransportKind) async throws {
    let server = try LoopbackServer { $0.path == "/never" ? .never : .text("ok") }
    let before = ProcessFacts.descriptors
    var transport: (any Transport)? = try kind.make()
    let recorders = (0..<2_000).map { _ in TransferRecorder() }
    if let transport {
      await withTaskGroup(of: Void.self) { group in
        for thread in 0..<4 {
          group.addTask {
            for index in stride(from: thread, to: recorders.count, by: 4) {
              let path = index % 3 == 0 ? "/never" : "/answered"
              let transfer = transport.start(
                .init(url: server.origin + path), handler: recorders[index].record)
              // Some requests get time to progress.
              if index % 5 == 0 { await Task.yield() }
              if index % 7 == 0 { _ = server.log.requestCount }
              transfer.cancel()
            }
          }
        }
      }
    }
    for recorder in recorders {
      let error = await recorder.waitForEnd().error
      #expect(error == nil || error == .cancelled)
    }
    transport = nil
    try await server.log(until: { $0.openConnections == 0 })
    #expect(recorders.allSatisfy { $0.events.errors.count == 1 && !$0.events.hasEventAfterEnd })
    if kind == .curl, let before {
      // Other tests run at the same time, some briefly with hundreds of descriptors; this looks for 2,000.
      #expect(await suspendUntil { (ProcessFacts.descriptors ?? 0) < before + 500 })
    }
  }
}
