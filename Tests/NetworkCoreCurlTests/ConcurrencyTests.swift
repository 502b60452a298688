import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Many concurrent transfers", .timeLimit(.minutes(5)))
struct ConcurrencyTests {
  @Test("500 requests are in progress at once over one transport; URLSession has 6 connections per host")
  func held() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { .text($0.path).held(until: gate) }
    let transport = try CurlTransport()
    let threads = Lock(Set<ObjectIdentifier>())
    let started = (0..<500).map { index in
      let recorder = TransferRecorder()
      let transfer = transport.start(.init(url: "\(server.origin)/\(index)").deliveredOnLoop) { event in
        threads.withLock { _ = $0.insert(ObjectIdentifier(Thread.current)) }
        recorder.record(event)
      }
      return (transfer: transfer, recorder: recorder)
    }
    try await server.log(until: { $0.pending == 500 })
    // The system reports the sockets that are ready, so waiting ones cost the others nothing.
    if let watched = ProcessFacts.watchedSockets { #expect(watched >= 500) }
    gate.open()
    for (index, item) in started.enumerated() {
      let events = await item.recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("/\(index)".utf8))
    }
    #expect(threads.withLock { $0.count } == 1)
  }

  @Test("idle timeouts elapse in order, however the requests began and whichever were cancelled")
  func idleTimes() async throws {
    let server = try LoopbackServer { $0.path == "/first" ? .text("ok") : .never }
    let transport = try CurlTransport()
    let ended = Lock([Int]())
    // 37 and 100 are coprime, so each of 0..<100 occurs once, well mixed.
    let places = (0..<100).map { $0 * 37 % 100 }
    let recorders = places.map { _ in TransferRecorder() }
    let transfers = Lock([any Cancellable]())
    // Started from a handler, all requests are picked up by the transport at the same time.
    let first = transport.start(.init(url: "\(server.origin)/first").deliveredOnLoop) {
      [weak transport] event in
      guard case .finished = event, let transport else { return }
      for (place, recorder) in zip(places, recorders) {
        let request = TransportRequest(url: server.origin, idleTimeout: .milliseconds(1_000 + 2 * place))
        let transfer = transport.start(request) { event in
          if case .finished(.timedOut) = event { ended.withLock { $0.append(place) } }
          recorder.record(event)
        }
        transfers.withLock { $0.append(transfer) }
      }
    }
    // These exchanges end only after the transport has picked up the others.
    _ = await transport.exchange(.init(url: "\(server.origin)/first"))
    _ = await transport.exchange(.init(url: "\(server.origin)/first"))
    for (place, transfer) in zip(places, transfers.withLock { $0 }) where place % 3 == 0 { transfer.cancel() }
    for recorder in recorders { await recorder.waitForEnd() }
    #expect(ended.withLock { $0 }.filter { $0 % 3 != 0 } == (0..<100).filter { $0 % 3 != 0 })
    withExtendedLifetime((first, transport)) {}
  }

  @Test("a transfer's idle timeout elapses, whichever others are cancelled")
  func idleTimeAfterCancelled() async throws {
    let server = try LoopbackServer { $0.path == "/first" ? .text("ok") : .never }
    var configuration = CurlConfiguration()
    configuration.timeouts.connect = .seconds(1_000_000)
    let transport = try CurlTransport(configuration: configuration)
    // In a heap, the last entry takes the place of the cancelled one, below the second.
    let idleTimes = [3_000, 100_000_000, 3_100, 110_000_000, 120_000_000, 30_000_000, 3_200].map {
      Duration.milliseconds($0)
    }
    let recorders = idleTimes.map { _ in TransferRecorder() }
    let transfers = Lock([any Cancellable]())
    let beginning = TransferRecorder()
    let first = transport.start(.init(url: "\(server.origin)/first")) { [weak transport] event in
      if case .finished = event, let transport {
        for (idleTime, recorder) in zip(idleTimes, recorders) {
          let request = TransportRequest(url: server.origin, idleTimeout: idleTime)
          let transfer = transport.start(request, handler: recorder.record)
          transfers.withLock { $0.append(transfer) }
        }
      }
      beginning.record(event)
    }
    await beginning.waitForEnd()
    // These exchanges end only after the transport has picked up the others.
    _ = await transport.exchange(.init(url: "\(server.origin)/first"))
    let started = transfers.withLock { $0 }
    started[3].cancel()
    for index in [0, 2, 6] {
      #expect(await recorders[index].waitForEnd().error == .timedOut(.idle, after: idleTimes[index]))
    }
    for transfer in started { transfer.cancel() }
    withExtendedLifetime((first, transport)) {}
  }

  @Test("500 requests from several threads all get a response", arguments: TransportKind.allCases)
  func several(kind: TransportKind) async throws {
    let server = try LoopbackServer { .text($0.path) }
    let transport = try kind.make()
    let responses = await withTaskGroup(of: Data.self) { group in
      for index in 0..<500 {
        group.addTask { await transport.exchange(.init(url: "\(server.origin)/\(index)")).body }
      }
      return await group.reduce(into: Set()) { $0.insert(String(decoding: $1, as: UTF8.self)) }
    }
    #expect(responses == Set((0..<500).map { "/\($0)" }))
  }

  @Test("a handler can start the next transfer, 200 times in a row", arguments: TransportKind.allCases)
  func reentrant(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try kind.make()
    let last = TransferRecorder(keeping: transport)
    start(200, transport, server.origin, last)
    #expect(await last.waitForEnd().error == nil)
    #expect(server.log.requestCount == 200)
    #expect(server.log.connectionsAccepted == 1)
  }

  private func start(_ left: Int, _ transport: any Transport, _ url: String, _ last: TransferRecorder) {
    _ = transport.start(.init(url: url)) { event in
      guard case .finished(nil) = event, left > 1 else { return last.record(event, if: left == 1) }
      start(left - 1, transport, url, last)
    }
  }

  @Test("a slow handler on the loop's thread does not count towards other requests' idle time")
  func slowHandler() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    server.route("/later") { _ in .text("ok").delayed(by: .milliseconds(100)) }
    server.route("/never") { _ in .never }
    let transport = try CurlTransport()
    let other = try CurlTransport()
    let (later, recorder) = transport.record(
      .init(url: "\(server.origin)/later", idleTimeout: TestTimeouts.idle))
    let slow = transport.start(.init(url: server.origin).deliveredOnLoop) { event in
      guard case .finished = event else { return }
      _ = try? server.waitUntil { $0.answered == 2 }
      // Blocks for as long as another transport's request is idle, which is longer.
      let isOver = DispatchSemaphore(value: 0)
      let longer = TestTimeouts.idle + .seconds(1)
      let idle = other.start(.init(url: "\(server.origin)/never", idleTimeout: longer)) { event in
        if case .finished = event { isOver.signal() }
      }
      isOver.wait()
      withExtendedLifetime(idle) {}
    }
    #expect(await recorder.waitForEnd().error == nil)
    withExtendedLifetime((later, slow, other)) {}
  }
}

extension TransferRecorder {
  fileprivate func record(_ event: TransferEvent, if condition: Bool) {
    if condition { record(event) }
  }
}
