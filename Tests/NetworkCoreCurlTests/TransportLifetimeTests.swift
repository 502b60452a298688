import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Released transports", .timeLimit(.minutes(5)))
struct TransportLifetimeTests {
  private static func record(
    _ transport: any Transport, _ server: LoopbackServer
  ) -> (transfer: any Cancellable, recorder: TransferRecorder) {
    let recorder = TransferRecorder()
    return (transport.start(.init(url: server.origin), handler: recorder.record), recorder)
  }

  @Test(
    "the transfers of a released transport end as cancelled, and its connections close",
    arguments: TransportKind.allCases)
  func released(kind: TransportKind) async throws {
    let server = try LoopbackServer { $0.path == "/kept" ? .text("ok") : .never }
    var transport: (any Transport)? = try kind.make()
    #expect(await transport?.exchange(.init(url: "\(server.origin)/kept")).error == nil)
    let started = (0..<5).compactMap { _ in transport.map { Self.record($0, server) } }
    try await server.log(until: { $0.pending == 5 })
    transport = nil
    for item in started { #expect(await item.recorder.waitForEnd().error == .cancelled) }
    try await server.log(until: { $0.openConnections == 0 })
    for item in started { item.transfer.cancel() }
    #expect(started.allSatisfy { $0.recorder.events.errors == [.cancelled] })
  }

  @Test("a transport can be released with requests still in its queue", arguments: TransportKind.allCases)
  func queued(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .never }
    var transport: (any Transport)? = try kind.make()
    let started = (0..<50).compactMap { _ in transport.map { Self.record($0, server) } }
    transport = nil
    for item in started { #expect(await item.recorder.waitForEnd().error == .cancelled) }
    try await server.log(until: { $0.openConnections == 0 })
  }

  @Test("a transport can be released by its own handler", arguments: TransportKind.allCases)
  func byHandler(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let holder = Lock<(any Transport)?>(try kind.make())
    let recorder = TransferRecorder()
    let transport = holder.withLock { $0 }
    let transfer = transport?.start(.init(url: server.origin)) { event in
      if case .head = event {
        let last = holder.withLock { $0.take() }
        withExtendedLifetime(last) {}
      }
      recorder.record(event)
    }
    _ = consume transport
    #expect(await recorder.waitForEnd().isOver)
    try await server.log(until: { $0.openConnections == 0 })
    withExtendedLifetime(transfer) {}
  }

  @Test("a transport released while a response arrives leaves nothing behind", arguments: 0..<10)
  func midway(round: Int) async throws {
    let server = try LoopbackServer { _ in .repeating(UInt8(ascii: "a"), count: 1 << 30) }
    let holder = Lock<CurlTransport?>(try CurlTransport())
    let recorder = TransferRecorder()
    weak var transfer: (any Transfer)?
    do {
      let token = holder.withLock { $0 }?.start(.init(url: server.origin)) { event in
        switch event {
        case .body:
          let last = holder.withLock { $0.take() }
          withExtendedLifetime(last) {}
        case .finished: recorder.record(event)
        default: break
        }
      }
      transfer = token as? any Transfer
      #expect(await recorder.waitForEnd().error == .cancelled)
      withExtendedLifetime(token) {}
    }
    // The thread needs time to end.
    await suspendUntil { transfer == nil }
    #expect(transfer == nil)
  }

  /// Tracks the transfers of another transport while they are alive.
  private final class TransferTracker: Transport {
    private struct Started {
      weak var transfer: (any Transfer)?
    }

    private let inner: CurlTransport
    private let started = Lock<[Started]>([])

    init() throws { inner = try CurlTransport() }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      let token = inner.start(request, handler: handler)
      started.withLock { $0.append(Started(transfer: token as? any Transfer)) }
      return token
    }

    var counts: (started: Int, left: Int) {
      started.withLock { started in (started.count, started.count { $0.transfer != nil }) }
    }
  }

  @Test("a redirected stream leaves nothing behind")
  func redirectedStream() async throws {
    let server = try LoopbackServer { _ in .text("there") }
    server.route("/away") { _ in .redirect(to: "/") }
    let watcher = try TransferTracker()
    for path in ["/", "/away"] {
      let stream = NetworkProvider<LoopbackTarget>(transport: watcher).stream(LoopbackTarget(server, path))
      var body = Data()
      for try await piece in stream { body += piece }
      #expect(body == Data("there".utf8))
    }
    await suspendUntil { watcher.counts.left == 0 }
    #expect(watcher.counts == (2, 0))
  }

  @Test(
    "an ended transfer releases its handler, even if its token is kept",
    arguments: TransportKind.allCases)
  func handlerIsReleased(kind: TransportKind) async throws {
    final class TrackedObject: Sendable {}
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try kind.make()
    weak var held: TrackedObject?
    let recorder = TransferRecorder()
    let transfer: any Cancellable = {
      let object = TrackedObject()
      held = object
      return transport.start(.init(url: server.origin)) { event in
        withExtendedLifetime(object) { recorder.record(event) }
      }
    }()
    await recorder.waitForEnd()
    // The transport's thread releases the handler after the call that the test observed; one more exchange
    // comes later.
    _ = await transport.exchange(.init(url: server.origin))
    #expect(held == nil)
    withExtendedLifetime(transfer) {}
  }

  @Test("a transfer that follows no redirects releases handler and body as well, even if its token is kept")
  func releasedWithoutRedirects() async throws {
    final class TrackedObject: Sendable {}
    let server = try LoopbackServer { .text($0.text) }
    var configuration = CurlConfiguration()
    // The token is then that of libcurl's transfer itself.
    configuration.redirects = .doNotFollow
    let transport = try CurlTransport(configuration: configuration)
    weak var heldByHandler: TrackedObject?
    weak var heldByBody: TrackedObject?
    let recorder = TransferRecorder()
    let transfer: any Cancellable = {
      let (object, content) = (TrackedObject(), TrackedObject())
      heldByHandler = object
      heldByBody = content
      let stream = BodyStream(
        .init(length: 4) { onBytesAvailable in
          withExtendedLifetime(content) {}
          return PiecewiseReader([Data("body".utf8)], gaps: false, onBytesAvailable: onBytesAvailable)
        }, isRepeatable: true)
      return transport.start(.init(method: .post, url: server.origin, body: .stream(stream))) { event in
        withExtendedLifetime(object) { recorder.record(event) }
      }
    }()
    #expect(await recorder.waitForEnd().body == Data("body".utf8))
    // The transport's thread releases the handler after the call that the test observed; one more exchange
    // comes later.
    _ = await transport.exchange(.init(url: server.origin))
    #expect(heldByHandler == nil)
    #expect(heldByBody == nil)
    withExtendedLifetime(transfer) {}
  }

  @Test("the example in the comment of CurlTransport runs")
  func example() async throws {
    let server = try LoopbackServer { _ in .never }
    let errors = TransferRecorder()

    let transport = try CurlTransport()
    let request = TransportRequest(url: server.origin)
    let transfer = transport.start(request) { event in
      if case .finished(let error) = event { errors.record(.finished(error)) }
    }
    transfer.cancel()

    #expect(await errors.waitForEnd().error == .cancelled)
  }

  @Test("300 transports leave no thread behind")
  func threads() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    for _ in 0..<300 {
      let transport = try CurlTransport()
      #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    }
    try await server.log(until: { $0.openConnections == 0 })
    // The tests that run at the same time have a few transports each.
    if let threads = ProcessFacts.threads(named: "CurlTransport") { #expect(threads < 200) }
  }
}
