import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Several threads of a transport", .timeLimit(.minutes(5)))
struct TransportThreadsTests {
  private let gate = LoopbackServer.Gate()
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer { [gate] request in
      let reply = LoopbackServer.Reply.text(request.headers["Cookie"] ?? "none")
      switch request.path {
      case "/held": return reply.held(until: gate)
      case "/set": return reply.header("Set-Cookie", "a=1; Path=/")
      default: return reply
      }
    }
  }

  private func transport(
    threads: Int, _ change: (inout CurlConfiguration) -> Void = { _ in }
  ) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.threads = threads
    change(&configuration)
    return try CurlTransport(configuration: configuration)
  }

  /// Returns the threads on which `count` concurrent transfers deliver their ends.
  private func threads(of count: Int, over transport: CurlTransport) async throws -> [ObjectIdentifier: Int] {
    let threads = Lock([ObjectIdentifier: Int]())
    let recorders = (0..<count).map { _ in TransferRecorder() }
    for recorder in recorders {
      _ = transport.start(.init(url: "\(server.origin)/held").deliveredOnLoop) { event in
        if case .finished = event {
          threads.withLock { $0[ObjectIdentifier(Thread.current), default: 0] += 1 }
        }
        recorder.record(event)
      }
    }
    try await server.log(until: { $0.pending == count })
    gate.open()
    for recorder in recorders { #expect(await recorder.waitForEnd().error == nil) }
    return threads.withLock { $0 }
  }

  @Test("concurrent transfers are distributed evenly over the threads", arguments: [1, 3])
  func spread(count: Int) async throws {
    let threads = try await threads(of: 6, over: transport(threads: count))
    #expect(threads.count == count)
    #expect(threads.values.allSatisfy { $0 == 6 / count })
  }

  @Test("a slow handler on its transfer's thread blocks only that thread")
  func slowHandler() async throws {
    let transport = try transport(threads: 2)
    let slow = TransferRecorder()
    let isOver = DispatchSemaphore(value: 0)
    _ = transport.start(.init(url: server.origin).deliveredOnLoop) { event in
      slow.record(event)
      if case .finished = event { isOver.wait() }
    }
    await slow.waitForEnd()
    // Only one request: with several, the other thread may still be finishing the previous one, and be as
    // busy as the first.
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    isOver.signal()
  }

  @Test("a request started by a handler stays on its thread and connection", arguments: [true, false])
  func locality(onLoop: Bool) async throws {
    let transport = try transport(threads: 2)
    let threads = Lock(Set<ObjectIdentifier>())
    let last = TransferRecorder()
    @Sendable func start(_ left: Int) {
      let request = TransportRequest(url: server.origin)
      _ = transport.start(onLoop ? request.deliveredOnLoop : request) { event in
        guard case .finished = event else { return }
        threads.withLock { _ = $0.insert(ObjectIdentifier(Thread.current)) }
        if left > 1 { start(left - 1) } else { last.record(event) }
      }
    }
    start(20)
    #expect(await last.waitForEnd().error == nil)
    if onLoop { #expect(threads.withLock { $0.count } == 1) }
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("connection limits apply to all threads together")
  func limits() async throws {
    let one = try transport(threads: 4) { $0.connections.limit = 1 }
    let two = try transport(threads: 4) { $0.connections.limitPerHost = 2 }
    for (transport, limit) in [(one, 1), (two, 2)] {
      let before = server.log.connectionsAccepted
      let started = (0..<12).map { _ in transport.record(.init(url: server.origin)) }
      for (_, recorder) in started { #expect(await recorder.waitForEnd().error == nil) }
      #expect(server.log.connectionsAccepted - before <= limit)
    }
  }

  @Test("a limit of all connections is divided among the threads")
  func dividedLimit() async throws {
    let transport = try transport(threads: 4) { $0.connections.limit = 4 }
    let started = (0..<12).map { _ in transport.record(.init(url: "\(server.origin)/held")) }
    #expect(await suspendUntil { transport.gauges.requestsInFlight == 12 })
    try await server.log(until: { $0.pending >= 4 })
    gate.open()
    for (_, recorder) in started { #expect(await recorder.waitForEnd().error == nil) }
    #expect(server.log.connectionsAccepted <= 4)
  }

  @Test("a cookie jar serves all threads")
  func cookies() async throws {
    let transport = try transport(threads: 2) { $0.cookies = .memory }
    #expect(await transport.exchange(.init(url: "\(server.origin)/set")).error == nil)
    let started = (0..<2).map { _ in transport.record(.init(url: "\(server.origin)/held")) }
    try await server.log(until: { $0.pending == 2 })
    gate.open()
    for (_, recorder) in started { #expect(await recorder.waitForEnd().body == Data("a=1".utf8)) }
  }

  @Test("a released transport ends the transfers of all threads")
  func end() async throws {
    var transport: CurlTransport? = try transport(threads: 3)
    let recorders = (0..<6).map { _ in TransferRecorder() }
    for recorder in recorders {
      _ = transport?.start(.init(url: "\(server.origin)/held"), handler: recorder.record)
    }
    try await server.log(until: { $0.pending == 6 })
    transport = nil
    for recorder in recorders { #expect(await recorder.waitForEnd().error == .cancelled) }
    try await server.log(until: { $0.openConnections == 0 })
  }

  @Test("the number of threads must be valid", arguments: [0, -1, 1_025])
  func invalid(count: Int) {
    #expect(
      throws: CurlConfigurationError.invalid(
        name: "threads", value: "\(count)", reason: "it must be 1 to 1,024")
    ) {
      try transport(threads: count)
    }
  }
}
