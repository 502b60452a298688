import Dispatch
import Foundation
import MoyaCompatibility
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The events of a request", .timeLimit(.minutes(5)))
struct RequestEventTests {
  private let events = ObservedEvents()

  private func provider(
    over transport: (any Transport)? = nil, interceptors: [any RequestInterceptor] = []
  ) throws -> NetworkProvider<LoopbackTarget> {
    NetworkProvider(
      transport: try transport ?? CurlTransport(), plugins: [events], interceptors: interceptors)
  }

  @Test("a request has each event once and in order, but no `connecting` over a kept connection")
  func phases() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    let provider = try provider()
    let before = ContinuousClock.now
    _ = await provider.result(LoopbackTarget(server, "/a"))
    let after = ContinuousClock.now
    #expect(
      events.names == [
        "queued", "started", "connecting", "connected", "requestSent", "firstByte", "ended 200",
      ])
    let times = events.all.map(\.time)
    #expect(times == times.sorted())
    #expect(times.allSatisfy { (before...after).contains($0) })
    #expect(events.all.compactMap(\.received) == [10])
    let connection = try #require(events.connection)
    #expect(connection.address == "127.0.0.1")
    #expect(connection.port == Int(server.port))
    #expect(connection.httpVersion == .http1_1)
    #expect(connection.tlsVersion == nil)
    #expect(connection.nameLookup != nil)
    #expect(connection.connect.map { $0 > .zero } == true)
    #expect(connection.secureConnect == nil)
    #expect(events.end?.metrics?.bodyBytesReceived == 10)

    _ = await provider.result(LoopbackTarget(server, "/b"))
    #expect(
      events.names.dropFirst(7)
        == ["queued", "started", "reused", "requestSent", "firstByte", "ended 200"])
    #expect(events.connections.last?.connect == nil)
    #expect(Set(events.all.map(\.id)).count == 2)
  }

  @Test("a connection to a Unix domain socket has neither address nor port")
  func unixSocket() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("socket").path
    let server = try LoopbackServer(on: .unix(path: path)) { _ in .text("ok") }
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let base = try #require(URL(string: "http+unix://\(host)/v1"))
    _ = await (try provider()).result(LoopbackTarget(base, "/a"))
    let connection = try #require(events.connection)
    #expect(connection.address == nil)
    #expect(connection.port == nil)
    withExtendedLifetime((folder, server)) {}
  }

  @Test("the event `queued` has the target of the request, which may be inside a MultiTarget")
  func queuedTarget() throws {
    let transport = ScriptedTransport { $0.respond() }
    let target = LoopbackTarget(URL(staticString: "http://h"), "/a")
    try provider(over: transport).request(target) { _ in }
    NetworkProvider<MultiTarget>(transport: transport, plugins: [events]).request(MultiTarget(target)) { _ in
    }
    let targets = events.all.compactMap { event in
      if case .queued(let call) = event.kind { call.target as? LoopbackTarget } else { nil }
    }
    #expect(targets.map(\.path) == ["/a", "/a"])
  }

  @Test("the end is observed before the completion is called")
  func order() async throws {
    let server = try LoopbackServer { _ in .text("") }
    let provider = try provider()
    for _ in 0..<50 {
      let seen = await withCheckedContinuation { done in
        provider.request(LoopbackTarget(server)) { _ in done.resume(returning: events.names.last) }
      }
      #expect(seen == "ended 200")
    }
  }

  @Test(
    "the completion follows the end on its queue, also if an observer still handles an earlier event",
    arguments: [false, true])
  func endDuringEvent(hasQueue: Bool) async throws {
    let (key, queue) = (DispatchSpecificKey<Bool>(), DispatchQueue(label: "callbacks"))
    queue.setSpecific(key: key, value: true)
    let log = Lock([String]())
    let transport = ScriptedTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let observation = provider.observeRequests { event in
      if case .ended = event.kind { log.withLock { $0.append("ended") } }
      guard case .connecting = event.kind else { return }
      transport.transfers.first?.respond()
      queue.sync {}
      log.withLock { $0.append("handled") }
    }
    let target = LoopbackTarget(URL(staticString: "http://h"))
    let isOnQueue = await withCheckedContinuation { done in
      provider.request(target, callbackQueue: hasQueue ? queue : nil) { _ in
        log.withLock { $0.append("completed") }
        done.resume(returning: DispatchQueue.getSpecific(key: key) == true)
      }
      transport.transfers.first?.request.observer?.report(.connecting)
    }
    #expect(isOnQueue == hasQueue)
    #expect(log.withLock { $0 } == ["handled", "ended", "completed"])
    observation.cancel()
  }

  @Test("an event of the transport that follows the end within its delivery is dropped")
  func lateEvent() throws {
    let transport = ScriptedTransport()
    let records = RequestRecordPlugin { _ in }
    let started = Lock<(any Cancellable)?>(nil)
    let late = ObservedEvents()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [events, records])
    let observation = provider.observeRequests { event in
      late.didObserve(event)
      guard case .connecting = event.kind else { return }
      started.withLock { $0 }?.cancel()
      transport.transfers.first?.request.observer?.report(.requestSent)
    }
    let target = LoopbackTarget(try #require(URL(string: "http://h")))
    let token = provider.request(target) { _ in }
    started.withLock { $0 = token }
    transport.transfers.first?.request.observer?.report(.connecting)
    transport.transfers.first?.request.observer?.report(.firstByte)
    #expect(late.names == ["queued", "started", "connecting", "cancelled"])
    #expect(events.names == late.names)
    #expect(records.inFlight.isEmpty)
    observation.cancel()
  }

  @Test("a body is sent between the connection and the first byte, and counted")
  func upload() async throws {
    let server = try LoopbackServer { .text("\($0.bodyLength)") }
    let size = 1 << 20
    _ = await (try provider()).result(
      LoopbackTarget(server).with {
        $0.method = .post
        $0.task = .requestData(Data(count: size))
      })
    let names = events.names
    #expect(names.suffix(4) == ["connected", "requestSent", "firstByte", "ended 200"])
    #expect(events.all.compactMap(\.sent).last == Int64(size))
    #expect(events.end?.metrics?.bodyBytesSent == Int64(size))
  }

  @Test("a request with an empty body is sent as soon as it is connected")
  func emptyBody() async throws {
    let server = try LoopbackServer { .text("\($0.bodyLength)") }
    let answer = await (try provider()).result(LoopbackTarget(server).with { $0.method = .post })
    #expect(try answer.get().mapString() == "0")
    #expect(events.names.suffix(4) == ["connected", "requestSent", "firstByte", "ended 200"])
  }

  @Test(
    "a body of unknown length is sent between the connection and the first byte",
    arguments: [false, true], [false, true])
  func uploadOfUnknownLength(isHTTP2: Bool, hasGaps: Bool) async throws {
    var options = LoopbackServer.Options()
    if isHTTP2 { options.http2 = .init() }
    let server = try LoopbackServer(tls: .generated, options: options) { .text("\($0.bodyLength)") }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let provider = try provider(over: CurlTransport(configuration: configuration))
    let body = BodyStream(pieces: [Data(count: 10), Data(count: 200_000)], gaps: hasGaps)
    let answer = await provider.result(
      LoopbackTarget(server).with {
        $0.method = .post
        $0.task = .uploadStream(body)
      })
    #expect(try answer.get().mapString() == "200010")
    #expect(events.names.suffix(4) == ["connected", "requestSent", "firstByte", "ended 200"])
  }

  @Test("the request for a WebSocket is sent without a body")
  func webSocket() async throws {
    let server = try LoopbackServer { _ in .webSocket { $0.waitForEnd() } }
    let socket = try await provider().webSocket(LoopbackTarget(server))
    #expect(await suspendUntil { events.names.contains("firstByte") })
    #expect(
      events.names == ["queued", "started", "connecting", "connected", "requestSent", "firstByte"])
    socket.close()
  }

  @Test("each address that a connection is tried to is observed, and lookup and handshake add up")
  func severalAddresses() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    var configuration = CurlConfiguration()
    // The server does not listen at the first address.
    configuration.names.overrides = [
      .init(host: "several.test", port: Int(server.port), addresses: ["127.0.0.2", "127.0.0.1"])
    ]
    let provider = try provider(over: CurlTransport(configuration: configuration))
    let url = try #require(URL(string: "http://several.test:\(server.port)"))
    _ = await provider.result(LoopbackTarget(url))
    #expect(
      events.names == [
        "queued", "started", "connecting", "connecting", "connected", "requestSent", "firstByte", "ended 200",
      ])
    let connection = try #require(events.connection)
    let (lookup, connect) = (try #require(connection.nameLookup), try #require(connection.connect))
    // Both times are libcurl's.
    let total = try #require(events.end?.metrics?.connect)
    #expect(lookup + connect == total)
  }

  @Test("events are delivered as they happen, even if the server reads the body slowly")
  func slowUpload() async throws {
    let hold = DispatchSemaphore(value: 0)
    let server = try RawServer(unread: 4_096) { _, _ in hold.wait() }
    defer { hold.signal() }
    let provider = try provider()
    let end = CompletionStream()
    let request = provider.request(
      LoopbackTarget(try #require(URL(string: "http://127.0.0.1:\(server.port)"))).with {
        $0.method = .post
        $0.task = .requestData(Data(count: 64 << 20))
      }, completion: end.completion)
    #expect(await suspendUntil { events.names.last == "connected" })
    // The buffers of a connection cannot hold 64 MiB that the server does not read.
    #expect(!events.names.contains("requestSent"))
    request.cancel()
    _ = await end.next()
    #expect(events.names.last == "cancelled")
  }

  @Test("a redirect is an event with its status and target", arguments: TransportKind.allCases)
  func redirect(kind: TransportKind) async throws {
    let server = try LoopbackServer { $0.path == "/from" ? .redirect(to: "/to") : .text("there") }
    _ = await (try provider(over: kind.make())).result(LoopbackTarget(server, "/from"))
    let names = events.names.filter { ["redirected 302", "firstByte", "ended 200", "started"].contains($0) }
    #expect(
      names
        == (kind == .curl
          ? ["started", "firstByte", "redirected 302", "firstByte", "ended 200"]
          : ["started", "redirected 302", "firstByte", "ended 200"]))
    let targets = events.all.compactMap { if case .redirected(let url, _) = $0.kind { url } else { nil } }
    #expect(targets == ["\(server.origin)/to"])
  }

  @Test("a session's redirect handler that follows a redirect reports it")
  func handledRedirect() async throws {
    let server = try LoopbackServer { $0.path == "/from" ? .redirect(to: "/to") : .text("there") }
    let session = Session(
      configuration: .default, redirectHandler: Redirector.modify { _, request, _ in request })
    _ = await (try provider(over: session)).result(LoopbackTarget(server, "/from"))
    #expect(events.names.filter { $0.hasPrefix("redirected") } == ["redirected 302"])
  }

  @Test("a retry of an interceptor is an event with its delay, and starts another attempt")
  func retry() async throws {
    let answers = Lock([503, 200])
    let server = try LoopbackServer { _ in .status(answers.withLock { $0.removeFirst() }) }
    let provider = try provider(interceptors: [RetryPolicy(exponentialBackoffScale: 0.001, jitter: 0)])
    _ = await provider.result(LoopbackTarget(server).with { $0.validationType = .successCodes })
    let names = events.names
    #expect(names.count { $0 == "started" } == 2)
    #expect(names.count { $0.hasPrefix("retried") } == 1)
    #expect(names.filter { $0.hasPrefix("ended") || $0 == "failed" } == ["ended 200"])
    let errors = events.all.compactMap { if case .retried(let error, _) = $0.kind { error } else { nil } }
    #expect(errors.first?.response?.statusCode == 503)
  }

  @Test("a cancelled request ends as cancelled, a failed one as failed, and no event follows")
  func endings() async throws {
    let transport = ScriptedTransport()
    let provider = try provider(over: transport)
    let end = CompletionStream()
    let token = provider.request(
      LoopbackTarget(URL(staticString: "http://h")), completion: end.completion)
    token.cancel()
    transport.transfers[0].respond()
    #expect(events.names == ["queued", "started", "cancelled"])
    provider.request(LoopbackTarget(URL(staticString: "http://h")), completion: end.completion)
    transport.transfers[1].send(.finished(.timedOut(after: .seconds(1))))
    #expect(events.names.suffix(3) == ["queued", "started", "failed"])
  }

  @Test("a stub has a beginning and an end, and the transport receives no observation")
  func stub() async throws {
    let stubbed = NetworkProvider<LoopbackTarget>(
      stubClosure: MoyaProvider.immediatelyStub, plugins: [events])
    _ = await stubbed.result(LoopbackTarget(URL(staticString: "http://h")))
    #expect(events.names == ["queued", "ended 200"])
  }

  @Test("the events of a URLSession transport include the first byte, the body and the end")
  func urlSession() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    _ = await (try provider(over: URLSessionTransport())).result(LoopbackTarget(server))
    #expect(events.names == ["queued", "started", "firstByte", "ended 200"])
    #expect(events.all.compactMap(\.received).last == 10)
  }

  @Test("calls that share a transfer have a beginning and an end, and the transfer is observed separately")
  func shared() async throws {
    let (transport, time) = (ScriptedTransport(), ManualDelayScheduler())
    let provider = NetworkProvider<LoopbackTarget>(
      transport: transport, plugins: [events], trackInflights: true, scheduler: time)
    let target = LoopbackTarget(URL(staticString: "http://h"))
    provider.request(target) { _ in }
    provider.request(target) { _ in }
    transport.transfers[0].respond()
    time.advance(by: .zero)
    let byRequest = Dictionary(grouping: events.all, by: \.id).mapValues { $0.compactMap(\.name) }
    #expect(events.causes == [.call, .shared, .call])
    #expect(
      byRequest.values.sorted { $0.count < $1.count }
        == [
          ["queued", "ended 200"], ["queued", "ended 200"], ["queued", "started", "firstByte", "ended 200"],
        ])
  }

  @Test("a shared transfer that all of its callers cancel ends as cancelled")
  func cancelledShared() {
    let (transport, time) = (ScriptedTransport(), ManualDelayScheduler())
    let provider = NetworkProvider<LoopbackTarget>(
      transport: transport, plugins: [events], trackInflights: true, scheduler: time)
    let target = LoopbackTarget(URL(staticString: "http://h"))
    let tokens = (0..<2).map { _ in provider.request(target) { _ in } }
    for token in tokens { token.cancel() }
    time.advance(by: .zero)
    #expect(transport.transfers.map(\.cancelCount) == [1])
    let byRequest = Dictionary(grouping: events.all, by: \.id).mapValues { $0.compactMap(\.name) }
    #expect(
      byRequest.values.sorted { $0.count < $1.count }
        == [["queued", "cancelled"], ["queued", "cancelled"], ["queued", "started", "cancelled"]])
    transport.finish()
  }

  @Test("a request that is repeated on a new connection, because a kept one broke, is sent again")
  func reconnected() {
    let observation = RequestObservation { [events] in events.didObserve($0) }
    let reported: [TransportEvent] = [
      .connected(.init(isReused: true)), .requestSent, .connecting, .connected(.init()), .requestSent,
      .requestSent, .firstByte,
    ]
    for event in reported { observation.report(event) }
    #expect(
      events.names == ["reused", "requestSent", "connecting", "connected", "requestSent", "firstByte"])
  }

  @Test(
    "a TLS connection reports its versions, and a stream on a kept connection has no durations",
    arguments: [true, false])
  func secure(isHTTP2: Bool) async throws {
    var options = LoopbackServer.Options()
    if isHTTP2 { options.http2 = .init() }
    let server = try LoopbackServer(tls: .generated, options: options) { request in
      .text("\(request.stream == nil ? "HTTP/1.1" : "HTTP/2") \(request.handshake?.version ?? "plain")")
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let provider = try provider(over: CurlTransport(configuration: configuration))
    let target = LoopbackTarget(server)
    let answer = await provider.result(target)
    let connection = try #require(events.connection)
    #expect(connection.httpVersion == (isHTTP2 ? .http2 : .http1_1))
    let text = try answer.get().mapString()
    #expect(text == "\(isHTTP2 ? "HTTP/2" : "HTTP/1.1") \(connection.tlsVersion ?? "none")")
    #expect(connection.secureConnect.map { $0 > .zero } == true)
    _ = await provider.result(target)
    #expect(events.connections.last?.isReused == true)
    #expect(events.connections.last?.secureConnect == nil)
    #expect(events.connections.last?.tlsVersion == connection.tlsVersion)
  }
}
