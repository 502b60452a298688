import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("User code that blocks", .timeLimit(.minutes(5)))
struct BlockedUserCodeTests {
  /// A place in user code that blocks until the test opens it, or for half a minute.
  private final class Barrier: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let threads = Lock(0)
    private let entries: AsyncStream<Void>
    private let enter: AsyncStream<Void>.Continuation

    init() {
      (entries, enter) = AsyncStream.makeStream()
    }

    /// Whether a thread is blocked.
    var isBlocking: Bool { threads.withLock { $0 } > 0 }

    /// Blocks the calling thread.
    func block() {
      threads.withLock { $0 += 1 }
      enter.yield()
      // A limit, so that a loop that is blocked does not block the tests forever.
      _ = semaphore.wait(timeout: .now() + 30)
      threads.withLock { $0 -= 1 }
    }

    /// Suspends until a thread is blocked.
    func waitForEntry() async { _ = await entries.first { _ in true } }

    func open() { semaphore.signal() }
  }

  /// The server's second request to `/moved` is at `/there`.
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer { _ in .text("ok") }
    server.route("/moved") { _ in .text("moved", status: 302).header("Location", "/there") }
    server.route("/there") { .text("there \($0.headers["X-Mark"] ?? "-")") }
  }

  /// Expects that another transfer of the same loop ends while user code of the first one blocks, and returns
  /// the events of the first one.
  private func eventsAfterAnotherTransfer(
    _ request: TransportRequest, blockedBy barrier: Barrier, over transport: CurlTransport
  ) async throws -> TransferRecorder.Events {
    let (_, recorder) = transport.record(request)
    await barrier.waitForEntry()
    let other = await transport.exchange(.init(url: "\(server.origin)/other"))
    #expect(other.error == nil)
    #expect(barrier.isBlocking)
    #expect(!recorder.events.isOver)
    barrier.open()
    return await recorder.waitForEnd()
  }

  /// Expects that a transfer ends at once if it is cancelled while its user code blocks.
  private func expectCancellation(
    of request: TransportRequest, blockedBy barrier: Barrier, over transport: CurlTransport
  ) async throws {
    let (transfer, recorder) = transport.record(request)
    await barrier.waitForEntry()
    transfer.cancel()
    await recorder.waitForEnd()
    #expect(barrier.isBlocking)
    barrier.open()
    // When this has ended, the loop has also seen what the user code returned.
    #expect(await transport.exchange(.init(url: "\(server.origin)/other")).error == nil)
    #expect(recorder.events.error == .cancelled)
  }

  private func transport(redirects: RedirectPolicy) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.redirects = redirects
    return try CurlTransport(configuration: configuration)
  }

  @Test("a redirect closure that blocks delays no other transfer", arguments: [false, true])
  func redirect(deliversOnLoop: Bool) async throws {
    let barrier = Barrier()
    let transport = try transport(
      redirects: .modify { next, _ in
        barrier.block()
        var next = next
        next.headers["X-Mark"] = "changed"
        return next
      })
    var request = TransportRequest(url: "\(server.origin)/moved")
    request.deliversOnLoop = deliversOnLoop
    request.reportsMetrics = true
    let events = try await eventsAfterAnotherTransfer(request, blockedBy: barrier, over: transport)
    #expect(events.error == nil)
    #expect(events.body == Data("there changed".utf8))
    #expect(events.metrics?.redirects == 1)
    #expect(server.log.requests.map(\.path) == ["/moved", "/other", "/there"])
  }

  @Test("a redirect that a blocked closure declines is the response")
  func declinedRedirect() async throws {
    let barrier = Barrier()
    let transport = try transport(
      redirects: .modify { _, _ in
        barrier.block()
        return nil
      })
    var request = TransportRequest(url: "\(server.origin)/moved")
    request.reportsMetrics = true
    let events = try await eventsAfterAnotherTransfer(request, blockedBy: barrier, over: transport)
    #expect(events.error == nil)
    #expect(events.status == 302)
    #expect(events.body == Data("moved".utf8))
    #expect(events.metrics?.redirects == 0)
  }

  @Test("a transfer ends at once if it is cancelled while its redirect closure blocks")
  func cancelledRedirect() async throws {
    let barrier = Barrier()
    let transport = try transport(
      redirects: .modify { next, _ in
        barrier.block()
        return next
      })
    try await expectCancellation(
      of: .init(url: "\(server.origin)/moved"), blockedBy: barrier, over: transport)
    #expect(server.log.requests.map(\.path) == ["/moved", "/other"])
  }

  @Test("a time limit that passes while the redirect closure blocks ends the transfer when it returns")
  func expiredRedirect() async throws {
    let barrier = Barrier()
    var configuration = CurlConfiguration()
    configuration.timeouts.total = .seconds(2)
    configuration.redirects = .modify { next, _ in
      barrier.block()
      return next
    }
    let gate = LoopbackServer.Gate()
    server.route("/later") { _ in .text("later").bodyHeld(until: gate, after: 1) }
    let transport = try CurlTransport(configuration: configuration)
    let (_, recorder) = transport.record(.init(url: "\(server.origin)/moved"))
    await barrier.waitForEntry()
    // This one has started later, with the same limit.
    let later = await transport.exchange(.init(url: "\(server.origin)/later"))
    #expect(later.error == .timedOut(.total, after: .seconds(2)))
    barrier.open()
    #expect(await recorder.waitForEnd().error == .timedOut(.total, after: .seconds(2)))
    gate.open()
    #expect(server.log.requests.map(\.path) == ["/moved", "/later"])
  }

  /// Sends a text, whose second half is available once its `read` is no longer blocked.
  private final class BlockedReader: BodyReader {
    private let barrier: Barrier
    private var pieces = ["first ", "second"]

    init(_ barrier: Barrier) { self.barrier = barrier }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      guard let piece = pieces.first else { return 0 }
      if pieces.count == 1 { barrier.block() }
      pieces.removeFirst()
      buffer.copyBytes(from: piece.utf8)
      return piece.utf8.count
    }
  }

  @Test("a body reader that blocks delays no other transfer", arguments: [nil, 12] as [Int64?])
  func reader(length: Int64?) async throws {
    let barrier = Barrier()
    let body = BodyStream(length: length) { _ in BlockedReader(barrier) }
    let request = TransportRequest(method: .post, url: server.origin, body: .stream(body))
    let events = try await eventsAfterAnotherTransfer(request, blockedBy: barrier, over: CurlTransport())
    #expect(events.error == nil)
    #expect(server.log.requests.last?.text == "first second")
  }

  @Test("opening a body that blocks delays no other transfer", arguments: [nil, 6, 0] as [Int64?])
  func opening(length: Int64?) async throws {
    let barrier = Barrier()
    let text = length == 0 ? "" : "opened"
    let body = BodyStream(length: length) { onBytesAvailable in
      barrier.block()
      return PiecewiseReader([Data(text.utf8)], gaps: false, onBytesAvailable: onBytesAvailable)
    }
    let request = TransportRequest(method: .post, url: server.origin, body: .stream(body))
    let events = try await eventsAfterAnotherTransfer(request, blockedBy: barrier, over: CurlTransport())
    #expect(events.error == nil)
    #expect(server.log.requests.last?.text == text)
  }

  @Test("the server sees at once that a transfer is cancelled while its body reader blocks")
  func cancelledReader() async throws {
    let barrier = Barrier()
    let body = BodyStream(length: 12) { _ in BlockedReader(barrier) }
    let request = TransportRequest(method: .post, url: server.origin, body: .stream(body))
    let transport = try CurlTransport()
    let (transfer, recorder) = transport.record(request)
    await barrier.waitForEntry()
    try await server.log(until: { $0.openConnections == 1 })
    transfer.cancel()
    #expect(await recorder.waitForEnd().error == .cancelled)
    try await server.log(until: { $0.openConnections == 0 })
    #expect(barrier.isBlocking)
    barrier.open()
  }

  @Test("a body reader that reports bytes before it returns nil is read again")
  func earlyNotification() async throws {
    final class Reader: BodyReader {
      private let onBytesAvailable: @Sendable () -> Void
      private var pieces: [String?] = [nil, "one ", nil, nil, "two"]

      init(_ onBytesAvailable: @escaping @Sendable () -> Void) { self.onBytesAvailable = onBytesAvailable }

      func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard !pieces.isEmpty else { return 0 }
        guard let piece = pieces.removeFirst() else {
          onBytesAvailable()
          return nil
        }
        buffer.copyBytes(from: piece.utf8)
        return piece.utf8.count
      }
    }
    let body = BodyStream { Reader($0) }
    let events = await (try CurlTransport()).exchange(
      .init(method: .post, url: server.origin, body: .stream(body)))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.text) == ["one two"])
  }

  /// Blocks for the host `localhost`, and counts the calls.
  private final class BlockedTrustManager: ServerTrustManager, @unchecked Sendable {
    private let barrier: Barrier
    let hosts = Lock<[String]>([])

    init(_ barrier: Barrier) {
      self.barrier = barrier
      super.init(allHostsMustBeEvaluated: false, evaluators: [:])
    }

    override func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
      hosts.withLock { $0.append(host) }
      if host == "localhost" { barrier.block() }
      return host == "localhost" ? DefaultTrustEvaluator() : nil
    }
  }

  @Test("a trust manager that blocks delays no request to another host, and is asked once for each host")
  func trust() async throws {
    let secure = try LoopbackServer(tls: .generated) { _ in .text("ok") }
    let barrier = Barrier()
    let manager = BlockedTrustManager(barrier)
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(secure.authority)
    configuration.serverTrustManager = manager
    let transport = try CurlTransport(configuration: configuration)
    let blocked = (0..<3).map { _ in transport.record(.init(url: "https://localhost:\(secure.port)" + "/")) }
    await barrier.waitForEntry()
    blocked[2].transfer.cancel()
    #expect(await blocked[2].recorder.waitForEnd().error == .cancelled)
    #expect(await transport.exchange(.init(url: secure.origin)).error == nil)
    #expect(await transport.exchange(.init(url: "\(server.origin)/other")).error == nil)
    #expect(barrier.isBlocking)
    #expect(!blocked[0].recorder.events.isOver && !blocked[1].recorder.events.isOver)
    barrier.open()
    for item in blocked.prefix(2) { #expect(await item.recorder.waitForEnd().error == nil) }
    #expect(blocked[2].recorder.events.error == .cancelled)
    #expect(manager.hosts.withLock { $0 }.sorted() == ["127.0.0.1", "localhost"])
  }

  @Test("a request that is cancelled while the trust manager blocks is not sent afterwards")
  func cancelledTrust() async throws {
    let secure = try LoopbackServer(tls: .generated) { _ in .text("ok") }
    let barrier = Barrier()
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(secure.authority)
    configuration.serverTrustManager = BlockedTrustManager(barrier)
    // The cancelled request would use the connection first.
    configuration.connections.limitPerHost = 1
    let transport = try CurlTransport(configuration: configuration)
    let cancelled = transport.record(.init(url: "https://localhost:\(secure.port)/cancelled"))
    await barrier.waitForEntry()
    cancelled.transfer.cancel()
    #expect(await cancelled.recorder.waitForEnd().error == .cancelled)
    barrier.open()
    let next = await transport.exchange(.init(url: "https://localhost:\(secure.port)/next"))
    #expect(next.error == nil)
    #expect(secure.log.requests.map(\.path) == ["/next"])
  }

  @Test("requests that are cancelled while the trust manager blocks do not accumulate")
  func releasedBeforeTrust() async throws {
    struct Waiting {
      weak var transfer: (any Transfer)?
    }
    let barrier = Barrier()
    var configuration = CurlConfiguration()
    configuration.serverTrustManager = BlockedTrustManager(barrier)
    // The caller's token is then the transfer itself.
    configuration.redirects = .doNotFollow
    let transport = try CurlTransport(configuration: configuration)
    func cancelRequests() async -> [Waiting] {
      let started = (0..<100).map { _ in transport.record(.init(url: "https://localhost:1/")) }
      // The loop has taken all of them when it sends the next one.
      #expect(await transport.exchange(.init(url: server.origin)).error == nil)
      for item in started { item.transfer.cancel() }
      for item in started { #expect(await item.recorder.waitForEnd().error == .cancelled) }
      return started.map { Waiting(transfer: $0.transfer as? any Transfer) }
    }
    let former = await cancelRequests()
    _ = await cancelRequests()
    #expect(barrier.isBlocking)
    // The threads may still be about to release the last ones.
    #expect(former.filter { $0.transfer != nil }.count < 50)
    barrier.open()
  }

  @Test("a redirect to a host whose trust manager blocks delays no other transfer")
  func trustAfterRedirect() async throws {
    let secure = try LoopbackServer(tls: .generated) { _ in .text("ok") }
    let target = "https://localhost:\(secure.port)" + "/"
    server.route("/secure") { _ in .redirect(to: target) }
    let barrier = Barrier()
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(secure.authority)
    configuration.serverTrustManager = BlockedTrustManager(barrier)
    let transport = try CurlTransport(configuration: configuration)
    let events = try await eventsAfterAnotherTransfer(
      .init(url: "\(server.origin)/secure"), blockedBy: barrier, over: transport)
    #expect(events.error == nil)
    #expect(events.head?.url == target)
  }
}
