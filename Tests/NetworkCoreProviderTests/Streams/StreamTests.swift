import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Streams", .timeLimit(.minutes(5)))
struct StreamTests {
  private let log = Log()

  private func read(_ stream: ResponseStream) async -> (body: Data, error: NetworkError?) {
    var body = Data()
    do {
      for try await chunk in stream { body.append(chunk) }
      return (body, nil)
    } catch {
      return (body, error)
    }
  }

  @Test("the body arrives complete and in order, after the head", arguments: TransportKind.allCases)
  func whole(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in
      .bytes(Data.megabyte, type: "image/png").chunked(size: 7_777)
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let stream = provider.stream(LoopbackTarget(server))
    let response = try await stream.response
    #expect(response.statusCode == 200)
    #expect(response.headers["Content-Type"] == "image/png")
    #expect(response.data.isEmpty)
    let (body, error) = await read(stream)
    #expect(error == nil)
    let isWhole = body == Data.megabyte
    #expect(isWhole)
    // A stream that was read to its end has no error afterwards.
    #expect(await read(stream).error == nil)
    #expect(try await stream.response.statusCode == 200)
  }

  @Test("chunks are read while the server still holds back the rest", arguments: TransportKind.allCases)
  func early(kind: TransportKind) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("firstsecond").bodyHeld(until: gate, after: 5) }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    var iterator = provider.stream(LoopbackTarget(server)).makeAsyncIterator()
    #expect(try await iterator.next() == Data("first".utf8))
    gate.open()
    #expect(try await iterator.next() == Data("second".utf8))
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test("a bad status is an error with its body, before any chunk, unless the target accepts it")
  func badStatus() async throws {
    let server = try LoopbackServer { _ in .text("not here", status: 404) }
    let provider = NetworkProvider<LoopbackTarget>()
    let target = LoopbackTarget(server)
    let (body, error) = await read(provider.stream(target))
    #expect(body.isEmpty)
    guard case .statusCode(let response)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(response.statusCode == 404)
    #expect(response.data == Data("not here".utf8))
    await #expect(throws: NetworkError.self) { try await provider.stream(target).response }
    let lenient = target.with { $0.validationType = .customCodes([]) }
    #expect(await read(provider.stream(lenient)).body == Data("not here".utf8))
  }

  @Test("an endless body of a bad status is cut off at 1 MiB, and its transfer is cancelled")
  func endlessError() async throws {
    let server = try LoopbackServer { _ in
      var reply = LoopbackServer.Reply.repeating(7, count: 1 << 40)
      reply.status = 500
      return reply
    }
    let provider = NetworkProvider<LoopbackTarget>()
    let error = await read(provider.stream(LoopbackTarget(server))).error
    #expect(error?.response?.data.count == 1 << 20)
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("a transfer that exceeds 1 MiB before the transport returns its token is cancelled, too")
  func endlessErrorAtOnce() async throws {
    let transport = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 500, url: "http://h/", headers: [:])), .body(Data(count: 2 << 20)))
    }
    let target = LoopbackTarget(try #require(URL(string: "http://h/")))
    let error = await read(NetworkProvider<LoopbackTarget>(transport: transport).stream(target)).error
    #expect(error?.response?.data.count == 1 << 20)
    #expect(transport.transfers.map(\.isCancelled) == [true])
    transport.finish()
  }

  @Test("an interrupted body is an error after the chunks that arrived", arguments: TransportKind.allCases)
  func brokenOff(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("0123456789").chunked(size: 5).truncated(after: 5) }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let (body, error) = await read(provider.stream(LoopbackTarget(server)))
    #expect(body == Data("01234".utf8))
    #expect(error?.transferError != nil)
  }

  @Test("leaving the loop cancels the transfer", arguments: TransportKind.allCases)
  func leaving(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("onetwo").bodyHeld(until: .init(), after: 3) }
    let provider = NetworkProvider<LoopbackTarget>(
      transport: try kind.make(), plugins: [LoggingPlugin(name: "a", log: log)])
    let stream = provider.stream(LoopbackTarget(server))
    for try await _ in stream { break }
    try await server.log(until: { $0.abandoned.count == 1 })
    #expect(await read(stream).error?.isCancelled == true)
    #expect(
      log.all == ["a prepare", "a willSend a", "a didReceive cancelled", "a process cancelled"])
  }

  @Test("releasing an unread stream cancels its transfer")
  func lettingGo() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<LoopbackTarget>()
    do {
      let stream = provider.stream(LoopbackTarget(server))
      try await server.log(until: { $0.pending == 1 })
      withExtendedLifetime(stream) {}
    }
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("cancelling the reading task ends the iteration at once")
  func cancelledTask() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<LoopbackTarget>()
    for waitsForHead in [true, false] {
      let stream = provider.stream(LoopbackTarget(server))
      let task = Task {
        if waitsForHead { _ = try await stream.response }
        for try await _ in stream {}
      }
      try await server.log(until: { $0.pending == 1 })
      task.cancel()
      let result = await task.result
      #expect(throws: NetworkError.self) { try result.get() }
      try await server.log(until: { $0.pending == 0 })
    }
  }

  @Test("a slow reader makes the server wait")
  func backpressure() async throws {
    let server = try LoopbackServer { $0.path == "/" ? .repeating(7, count: 1 << 30) : .text("ok") }
    let transport = try CurlTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let stream = provider.stream(LoopbackTarget(server))
    _ = try await stream.response
    // Long enough for a sender that never waits to send everything.
    for _ in 0..<300 { #expect(await transport.exchange(.init(url: "\(server.origin)/other")).error == nil) }
    #expect(server.log.bytesSent < 32 << 20)
    var count = 0
    for try await chunk in stream {
      count += chunk.count
      if count > 64 << 20 { break }
    }
    #expect(count > 64 << 20)
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("events arrive in order on the queue, and a receiver that blocks makes the server wait")
  func blocking() async throws {
    let server = try LoopbackServer { $0.path == "/" ? .repeating(7, count: 96 << 20) : .text("ok") }
    let transport = try CurlTransport()
    let queue = DispatchQueue(label: "blocking")
    queue.setSpecific(key: here, value: true)
    let provider = NetworkProvider<LoopbackTarget>(callbackQueue: queue, transport: transport)
    let gate = DispatchSemaphore(value: 0)
    let count = Lock(0)
    let (ends, end) = AsyncStream.makeStream(of: NetworkError?.self)
    let log = log
    provider.stream(LoopbackTarget(server)) { event in
      if DispatchQueue.getSpecific(key: here) != true { log("wrong queue") }
      switch event {
      case .response(let response): log("\(response.statusCode)")
      case .chunk(let chunk):
        if count.withLock({ $0 == 0 }) { gate.wait() }
        count.withLock { $0 += chunk.count }
      case .finished(let error):
        log("end")
        end.yield(error)
      }
    }
    for _ in 0..<300 { #expect(await transport.exchange(.init(url: "\(server.origin)/other")).error == nil) }
    #expect(server.log.bytesSent < 32 << 20)
    gate.signal()
    for await error in ends {
      #expect(error == nil)
      break
    }
    #expect(count.withLock { $0 } == 96 << 20)
    #expect(log.all == ["200", "end"])
  }

  @Test("a stream or a WebSocket with a queue of its own does not use the provider's")
  func ownQueue() async {
    let own = DispatchQueue(label: "own")
    own.setSpecific(key: here, value: true)
    let stubs = StubTable<LoopbackTarget>()
    stubs.add(path: "/socket", [.webSocket([.send(.text("x")), .close(.normalClosure)])])
    let provider = NetworkProvider<LoopbackTarget>(
      callbackQueue: DispatchQueue(label: "provider"), transport: ScriptedTransport { $0.respond(200, "x") },
      stubs: stubs)
    let url = URL(staticString: "http://h")
    let log = log
    let note: @Sendable () -> Void = { log(DispatchQueue.getSpecific(key: here) == true ? "own" : "other") }
    provider.stream(LoopbackTarget(url), callbackQueue: own) { _ in note() }
    provider.webSocket(LoopbackTarget(url, "/socket"), callbackQueue: own) { _ in note() }
    await suspendUntil { log.all.count == 6 }
    #expect(log.all == Array(repeating: "own", count: 6))
  }

  @Test("after a cancel only the end is delivered, even if chunks are pending")
  func cancelledPush() async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: 1 << 30) }
    let provider = NetworkProvider<LoopbackTarget>()
    let token = DeferredCancellation()
    let (ends, end) = AsyncStream.makeStream(of: NetworkError?.self)
    let log = log
    let isHeld = DispatchSemaphore(value: 0)
    token.hold(
      provider.stream(LoopbackTarget(server)) { event in
        switch event {
        // There is nothing to cancel before the token is stored.
        case .response: isHeld.wait()
        case .chunk:
          log("chunk")
          token.cancel()
        case .finished(let error): end.yield(error)
        }
      })
    isHeld.signal()
    for await error in ends {
      #expect(error?.isCancelled == true)
      break
    }
    #expect(log.all.count == 1)
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("plugins handle a stream like any request, and see its end once", arguments: TransportKind.allCases)
  func plugins(kind: TransportKind) async throws {
    let server = try LoopbackServer { request in .text(request.headers["Seen"] ?? "") }
    let provider = NetworkProvider<LoopbackTarget>(
      transport: try kind.make(), plugins: [LoggingPlugin(name: "a", log: log)])
    let (body, error) = await read(provider.stream(LoopbackTarget(server), headers: ["More": "1"]))
    #expect(error == nil)
    #expect(body == Data("a".utf8))
    #expect(server.log.requests.first?.headers["More"] == "1")
    #expect(log.all == ["a prepare", "a willSend a", "a didReceive 200", "a process 200"])
  }

  @Test("a field that is given to a stream replaces that of the target", arguments: ["X-A", "x-a"])
  func replacedField(name: String) async throws {
    let transport = ScriptedTransport { $0.respond() }
    let target = LoopbackTarget(URL(staticString: "http://h")).with { $0.headers = ["X-A": "old"] }
    let stream = NetworkProvider<LoopbackTarget>(transport: transport).stream(target, headers: [name: "new"])
    #expect(await read(stream).error == nil)
    #expect(transport.transfers.map { $0.request.headers["X-A"] } == ["new"])
  }

  @Test("interceptors retry until the head has arrived, but not after that")
  func retries() async throws {
    let server = try LoopbackServer { request in
      switch request.headers["Attempt"] {
      case "0": .text("later", status: 503)
      case "1": .text("0123456789").chunked(size: 5).truncated(after: 5)
      default: .text("whole")
      }
    }
    let provider = NetworkProvider<LoopbackTarget>(interceptors: [CountingRetrier()])
    let (body, error) = await read(provider.stream(LoopbackTarget(server)))
    #expect(body == Data("01234".utf8))
    #expect(error?.transferError != nil)
    #expect(server.log.requestCount == 2)
  }

  @Test("stubs are streamed, too")
  func stubs() async throws {
    let stubs = StubTable<LoopbackTarget>()
    let url = try #require(URL(string: "http://localhost"))
    stubs.add(path: "/good", [.networkResponse(200, Data("sample".utf8))])
    stubs.add(path: "/bad", [.networkResponse(500, Data("sample".utf8))])
    stubs.add(path: "/error", [.networkError(NSError(domain: "test", code: 1))])
    let provider = NetworkProvider<LoopbackTarget>(transport: ScriptedTransport(), stubs: stubs)
    let good = await read(provider.stream(LoopbackTarget(url, "/good")))
    #expect(good.body == Data("sample".utf8))
    #expect(good.error == nil)
    let bad = await read(provider.stream(LoopbackTarget(url, "/bad")))
    #expect(bad.error?.response?.data == Data("sample".utf8))
    #expect(await read(provider.stream(LoopbackTarget(url, "/error"))).error != nil)
  }

  @Test("a transport that drops its handler ends the stream")
  func lost() async throws {
    let transport = ScriptedTransport { $0.releaseHandler() }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let url = try #require(URL(string: "http://localhost"))
    let error = await read(provider.stream(LoopbackTarget(url))).error
    guard case .connectionLost? = error?.transferError else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

private let here = DispatchSpecificKey<Bool>()

/// A token that can be cancelled before it is known.
private final class DeferredCancellation: Sendable {
  private let state = Lock((token: (any Cancellable)?.none, isCancelled: false))

  func hold(_ token: any Cancellable) {
    let mustCancel = state.withLock { state in
      state.token = token
      return state.isCancelled
    }
    if mustCancel { token.cancel() }
  }

  func cancel() {
    let token = state.withLock { state in
      state.isCancelled = true
      return state.token
    }
    token?.cancel()
  }
}

/// Retries every error at once, and sends the number of the attempt as a header field.
private struct CountingRetrier: RequestInterceptor {
  private let attempts = Counter()

  func adapt(
    _ request: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    var request = request
    request.setValue("\(attempts.next())", forHTTPHeaderField: "Attempt")
    completion(.success(request))
  }

  func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    completion(.retry)
  }
}

private final class Counter: Sendable {
  private let count = Lock(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
