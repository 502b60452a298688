import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Server-sent events as sequences", .timeLimit(.minutes(5)))
struct EventsTests {
  private let provider = NetworkProvider<LoopbackTarget>()

  private static func stream(_ text: String, status: Int = 200) -> LoopbackServer.Reply {
    .bytes(Data(text.utf8), type: "text/event-stream; charset=utf-8", status: status)
  }

  private func events(
    _ server: LoopbackServer, lastEventID: String = "", reconnectionTime: RxTimeInterval = .milliseconds(1)
  ) -> Observable<ServerSentEvent> {
    provider.rx.events(
      LoopbackTarget(server, "/"), lastEventID: lastEventID, reconnectionTime: reconnectionTime)
  }

  @Test("a stream that ends is resumed after its last event, until a 204")
  func reconnection() async throws {
    let server = try LoopbackServer { request in
      switch request.headers["Last-Event-ID"] {
      case nil: Self.stream("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: cut off\n")
      case "2": Self.stream("data: c\n\nid: 4\ndata: d\n\n").chunked(size: 5).truncated(after: 24)
      case "4": Self.stream("id\ndata: e\n\nid: 5\n\n")
      default: .status(204)
      }
    }
    let all = try await events(server).toArray().result().get()
    #expect(
      all == [
        .init(data: "a", id: "1"), .init(data: "b", id: "2"), .init(data: "c", id: "2"),
        .init(data: "d", id: "4"), .init(data: "e", id: ""),
      ])
    let requests = server.log.requests
    #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", "4", "5"])
    #expect(requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
    #expect(requests.allSatisfy { $0.headers["Cache-Control"] == "no-cache" })
  }

  @Test("after an id that no field can hold, the stream is resumed after an earlier one")
  func unsendableID() async throws {
    let server = try LoopbackServer { request in
      switch request.headers["Last-Event-ID"] {
      case nil: Self.stream("id: 1\ndata: a\n\nid: \u{1}2\ndata: b\n\n")
      default: .status(204)
      }
    }
    let all = try await events(server).toArray().result().get()
    #expect(all == [.init(data: "a", id: "1"), .init(data: "b", id: "\u{1}2")])
    #expect(server.log.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1"])
  }

  /// A server that sends these replies one after the other, and then 204.
  private static func server(_ replies: LoopbackServer.Reply...) throws -> LoopbackServer {
    let remaining = Lock(replies[...])
    return try LoopbackServer { _ in remaining.withLock { $0.popFirst() } ?? .status(204) }
  }

  private func lastEventIDs(_ server: LoopbackServer) -> [String?] {
    server.log.requests.map { $0.headers["Last-Event-ID"] }
  }

  @Test(
    "a retry continues the stream after the last event of the attempt that failed", arguments: [false, true])
  func retry(isInner: Bool) async throws {
    let server = try Self.server(Self.stream("id: 1\ndata: a\n\nid: 2\ndata: b\n\n"), .status(503))
    let events = events(server)
    // `flatMapLatest` disposes an inner sequence before it sends its error.
    let source = isInner ? Observable.just(0).flatMapLatest { _ in events } : events
    let all = try await source.retry(backoff: .constant(.milliseconds(1))).toArray().result().get()
    #expect(all == [.init(data: "a", id: "1"), .init(data: "b", id: "2")])
    #expect(lastEventIDs(server) == [nil, "2", "2"])
  }

  @Test("a retry continues a shared stream, even if another subscriber kept it when an attempt failed")
  func retryOfShared() async throws {
    for isKept in [false, true] {
      let server = try Self.server(Self.stream("id: 1\ndata: a\n\nid: 2\ndata: b\n\n"), .status(503))
      let (shared, other) = (events(server).share(), SingleAssignmentDisposable())
      let source = shared.map { event in
        guard isKept, event.id == "1" else { return event }
        other.setDisposable(shared.subscribe(onError: { _ in }))
        throw RxError.noElements
      }
      let events = try await source.retry(backoff: .constant(.milliseconds(1)), when: { _ in true })
        .toArray().result().get()
      #expect(lastEventIDs(server) == [nil, "2", "2"])
      // What another subscriber has received while this one waited does not come again.
      #expect(Set(events.map(\.data)).isSubset(of: isKept ? ["b"] : ["a", "b"]))
      other.dispose()
    }
  }

  @Test("a retry continues a stream after an attempt that failed before it")
  func retryAfterOtherFailure() async throws {
    let server = try Self.server(Self.stream("id: 1\ndata: a\n\n"), .status(503))
    let events = events(server)
    let attempts = Lock(0)
    let source = Observable<ServerSentEvent>.deferred {
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      return attempt == 2 ? .error(RxError.noElements) : events
    }
    _ = try await source.retry(backoff: .constant(.milliseconds(1)), when: { _ in true })
      .toArray().result().get()
    #expect(lastEventIDs(server) == [nil, "1", "1"])
  }

  @Test("a retry after a failure downstream continues after the event that caused it")
  func retryAfterDownstreamFailure() async throws {
    let server = try Self.server(
      Self.stream("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n"),
      Self.stream("id: 2\ndata: b\n\n"))
    let data = try await events(server)
      .map { event in
        if event.id == "1" { throw RxError.noElements }
        return event.data
      }
      .retry(backoff: .constant(.milliseconds(1)), when: { _ in true }).take(1).toArray().result().get()
    #expect(data == ["b"])
    #expect(lastEventIDs(server) == [nil, "1"])
  }

  @Test("a retry after a failure downstream asks for the events that arrived with the one that caused it")
  func retryAfterDownstreamFailureOfStub() throws {
    let server = try LoopbackServer()
    let head = try #require(
      HTTPURLResponse(
        url: server.baseURL, statusCode: 200, httpVersion: nil,
        headerFields: ["Content-Type": "text/event-stream"]))
    let stubs = StubTable<LoopbackTarget>()
    let text = "id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n"
    stubs.add(path: "/events", [.response(head, Data(text.utf8))])
    let log = Log()
    // The stub responds before the call that subscribes returns.
    let provider = NetworkProvider<LoopbackTarget>(
      plugins: [ResumptionLogger(path: "/events", log: log)], stubs: stubs)
    let scheduler = TestScheduler(initialClock: 0)
    let observer = scheduler.start {
      provider.rx.events(LoopbackTarget(server, "/events"), scheduler: scheduler)
        .map { event -> String in
          if log.all.count == 1 { throw RxError.noElements }
          return event.data
        }
        .retry(backoff: .constant(.seconds(1)), when: { _ in true }, scheduler: scheduler).take(1)
    }
    #expect(observer.events.first?.value.element == "a")
    #expect(log.all == ["none", "1"])
  }

  @Test("a retry keeps the reconnection time that the server sent to an attempt that failed")
  func retryKeepsTime() async throws {
    let server = try Self.server(
      Self.stream("retry: 1\ndata: a\n\n"), Self.stream("data: b\n\n"), Self.stream("data: c\n\n"))
    let data = try await events(server, reconnectionTime: .seconds(3600))
      .map { event in
        if event.data == "a" { throw RxError.noElements }
        return event.data
      }
      .retry(backoff: .constant(.milliseconds(1)), when: { _ in true }).take(2).toArray().result().get()
    #expect(data == ["b", "c"])
  }

  @Test("a retry continues each stream that runs when one of them fails")
  func retryOfSeveral() async throws {
    let lasting = try Self.server(
      Self.stream("id: 1\ndata: a\n\ndata: b").bodyHeld(until: .init(), after: 15))
    let failing = try Self.server(.status(503))
    let (first, second, ready) = (events(lasting), events(failing), PublishSubject<Void>())
    let subscription = Observable.merge(
      ready.flatMap { second }, first.do(onNext: { _ in ready.onNext(()) })
    )
    .retry(backoff: .constant(.milliseconds(1))).subscribe()
    try await lasting.log(until: { $0.requestCount == 2 })
    subscription.dispose()
    #expect(lastEventIDs(lasting) == [nil, "1"])
    #expect(failing.log.requestCount == 1)
  }

  @Test("a retry that resumes one of several streams continues that one's events")
  func retryOfOne() async throws {
    let first = try Self.server(Self.stream("id: 1\ndata: a\n\n ").bodyHeld(until: .init(), after: 15))
    let second = try Self.server(
      Self.stream("id: 2\ndata: b\n\n ").bodyHeld(until: .init(), after: 15), Self.stream("data: c\n\n"))
    let (former, latter) = (events(first), events(second))
    let attempts = Lock(0)
    let source = Observable.deferred {
      let isFirst = attempts.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? Observable.merge(former, latter) : latter
    }
    let all = try await source.enumerated()
      .map { index, event in
        if index == 1 { throw RxError.noElements }
        return event.data
      }
      .retry(backoff: .constant(.milliseconds(1)), when: { _ in true }).take(2).toArray().result().get()
    #expect(all.last == "c")
    #expect(lastEventIDs(second) == [nil, "2"])
  }

  @Test("a retry begins a stream again that a newer one had replaced before the attempt failed")
  func retryAfterReplacement() async throws {
    let server = try Self.server(
      Self.stream("id: 1\ndata: a\n\ndata: b").bodyHeld(until: .init(), after: 15), .status(503))
    let (events, switches) = (events(server), PublishSubject<Int>())
    let subscription = switches.startWith(0)
      .flatMapLatest { _ in events }
      .retry(backoff: .constant(.milliseconds(1)))
      .subscribe(onNext: { _ in switches.onNext(1) })
    try await server.log(until: { $0.requestCount == 3 })
    subscription.dispose()
    #expect(lastEventIDs(server) == [nil, nil, nil])
  }

  @Test("a retry continues the subscription that failed, not an earlier one whose failure was caught")
  func retryAfterCaughtFailure() async throws {
    let server = try Self.server(
      Self.stream("id: 1\ndata: a\n\n"), .status(503), Self.stream("id: 2\ndata: b\n\n"), .status(503),
      Self.stream("data: c\n\n"))
    let events = events(server)
    let data = try await events.catch { _ in events }
      .retry(backoff: .constant(.milliseconds(1))).map(\.data).take(3).toArray().result().get()
    #expect(data == ["a", "b", "c"])
    #expect(lastEventIDs(server) == [nil, "1", nil, "2", "2"])
  }

  @Test("of two subscriptions to a stream, a retry continues the one that the last attempt continued")
  func retryOfTwice() async throws {
    let held = Self.stream("id: 1\ndata: a\n\n ").bodyHeld(until: .init(), after: 15)
    let server = try Self.server(
      held, held, Self.stream("id: 2\ndata: b\n\n"), Self.stream("data: c\n\n"))
    let events = events(server)
    let attempts = Lock(0)
    let source = Observable.deferred {
      let isFirst = attempts.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? Observable.merge(events, events) : events
    }
    let all = try await source.enumerated()
      .map { index, event in
        if index == 1 || event.data == "b" { throw RxError.noElements }
        return event.data
      }
      .retry(backoff: .constant(.milliseconds(1)), when: { _ in true }).take(2).toArray().result().get()
    #expect(all == ["a", "c"])
    #expect(lastEventIDs(server) == [nil, nil, "1", "2"])
  }

  @Test("a retry after a failure continues after the last id, even if no data followed that id")
  func retryAfterIDWithoutData() async throws {
    let server = try Self.server(Self.stream("id: 1\ndata: a\n\nid: 2\n\ndata: 0123456789\n"))
    let events = provider.rx.events(LoopbackTarget(server, "/"), limit: 8)
    let all = try await events.retry(backoff: .constant(.milliseconds(1)), when: { _ in true })
      .toArray().result().get()
    #expect(all == [.init(data: "a", id: "1")])
    #expect(lastEventIDs(server) == [nil, "2"])
  }

  @Test("of two retries, the inner one continues the stream in its own attempts")
  func nestedRetries() async throws {
    let server = try Self.server(Self.stream("id: 1\ndata: a\n\n"), .status(503))
    let all = try await events(server)
      .retry(backoff: .constant(.milliseconds(1))).retry(backoff: .constant(.milliseconds(1)))
      .toArray().result().get()
    #expect(all == [.init(data: "a", id: "1")])
    #expect(lastEventIDs(server) == [nil, "1", "1"])
  }

  @Test("a stream that a retry has continued after a failure is not replaced by another subscription to it")
  func retryOfContinued() async throws {
    let requests = Lock([String: Int]())
    let attempts = Lock(0)
    let arrived = Lock(0)
    let server = try LoopbackServer { request in
      let id = request.headers["Last-Event-ID"] ?? "none"
      let count = requests.withLock { requests in
        requests[id, default: 0] += 1
        return requests[id] ?? 0
      }
      return switch (id, count) {
      case ("none", 1): Self.stream("id: 1\ndata: a\n\n")
      case ("1", 1): .status(503)
      case ("1", 2): Self.stream("id: 2\ndata: b\n\n ").bodyHeld(until: .init(), after: 15)
      case ("none", 2): Self.stream("id: 3\ndata: c\n\n ").bodyHeld(until: .init(), after: 15)
      default: .status(204)
      }
    }
    let events = events(server)
    let source = Observable.deferred {
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      return attempt == 2 ? Observable.merge(events, events) : events
    }
    _ =
      try await source
      .map { event in
        let count = arrived.withLock { arrived in
          arrived += 1
          return arrived
        }
        // The events of both subscriptions of the second attempt have arrived.
        if count == 3 { throw RxError.noElements }
        return event
      }
      .retry(backoff: .constant(.milliseconds(1)), when: { _ in true }).toArray().result().get()
    #expect(lastEventIDs(server).count == 5)
    #expect(lastEventIDs(server).last == "2")
  }

  /// Logs each `Last-Event-ID` of the requests for a path.
  private struct ResumptionLogger: PluginType {
    let path: String
    let log: Log

    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
      if target.path == path { log.add(request.value(forHTTPHeaderField: "Last-Event-ID") ?? "none") }
      return request
    }
  }

  @Test("a retry after a response of another media type does not continue after the ids in that response")
  func retryAfterMediaType() throws {
    let server = try LoopbackServer()
    let stubs = StubTable<LoopbackTarget>()
    stubs.add(
      path: "/", [.networkResponse(200, Data("id: 1\ndata: a\n\n".utf8)), .networkResponse(204, Data())])
    let log = Log()
    let provider = NetworkProvider<LoopbackTarget>(
      plugins: [ResumptionLogger(path: "/", log: log)], stubs: stubs)
    let scheduler = TestScheduler(initialClock: 0)
    let events = scheduler.createObserver(ServerSentEvent.self)
    // The scheduler passes the error to the retry after the stub has delivered everything.
    let subscription = provider.rx.events(LoopbackTarget(server, "/"), scheduler: scheduler)
      .observe(on: scheduler)
      .retry(backoff: .constant(.seconds(1)), when: { _ in true }, scheduler: scheduler)
      .subscribe(events)
    scheduler.start()
    subscription.dispose()
    #expect(log.all == ["none", "none"])
  }

  @Test("a retry that has left many streams behind continues the stream of the latest attempt")
  func retryOfMany() throws {
    let server = try LoopbackServer()
    let head = try #require(
      HTTPURLResponse(
        url: server.baseURL, statusCode: 200, httpVersion: nil,
        headerFields: ["Content-Type": "text/event-stream"]))
    let stubs = StubTable<LoopbackTarget>()
    stubs.add(where: { _ in true }, [.response(head, Data("id: 1\ndata: a\n\n".utf8))])
    stubs.add(path: "/latest", [.response(head, Data("id: 2\ndata: b\n\n".utf8))])
    let log = Log()
    let provider = NetworkProvider<LoopbackTarget>(
      plugins: [ResumptionLogger(path: "/latest", log: log)], stubs: stubs)
    // No time passes for the streams, so that they wait for a reconnection until an attempt fails.
    let stopped = TestScheduler(initialClock: 0)
    let others = (0..<100).map { number in
      provider.rx.events(LoopbackTarget(server, "/\(number)"), scheduler: stopped)
    }
    let latest = provider.rx.events(LoopbackTarget(server, "/latest"), scheduler: stopped)
    let attempts = Lock(0)
    let source = Observable<ServerSentEvent>.deferred {
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      return switch attempt {
      case 1:
        Observable<ServerSentEvent>.merge(others).enumerated().map { index, event -> ServerSentEvent in
          if index == 99 { throw RxError.noElements }
          return event
        }
      case 2: latest.map { _ -> ServerSentEvent in throw RxError.noElements }
      default: latest
      }
    }
    let scheduler = TestScheduler(initialClock: 0)
    let observer = scheduler.start {
      source.retry(backoff: .constant(.seconds(1)), when: { _ in true }, scheduler: scheduler)
        .filter { $0.data == "b" }.take(1)
    }
    #expect(observer.events.first?.value.element == .init(data: "b", id: "2"))
    #expect(log.all == ["none", "2"])
    #expect(server.log.requestCount == 0)
  }

  @Test("a space or a tab may follow the media type", arguments: [" ", "\t"])
  func blank(text: String) async throws {
    let server = try LoopbackServer { _ in
      .bytes(Data("data: a\n\n".utf8), type: "text/event-stream\(text); charset=utf-8")
    }
    #expect(try await events(server).take(1).toArray().result().get() == [.init(data: "a")])
  }

  @Test("the media type may be in capitals")
  func capitals() async throws {
    let server = try LoopbackServer { _ in .bytes(Data("data: a\n\n".utf8), type: "Text/Event-Stream") }
    #expect(try await events(server).take(1).toArray().result().get() == [.init(data: "a")])
  }

  @Test("events arrive while the stream is open, and disposing cancels it")
  func early() async throws {
    let server = try LoopbackServer { _ in
      Self.stream("data: a\n\ndata: b").bodyHeld(until: .init(), after: 9)
    }
    #expect(try await events(server).take(1).toArray().result().get() == [.init(data: "a")])
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("a second subscription begins without the last event of the first one")
  func secondSubscription() async throws {
    let server = try Self.server(Self.stream("id: 1\ndata: a\n\n"), Self.stream("id: 1\ndata: a\n\n"))
    let events = events(server)
    for _ in 0..<2 {
      #expect(try await events.take(1).toArray().result().get() == [.init(data: "a", id: "1")])
    }
    #expect(lastEventIDs(server) == [nil, nil])
  }

  @Test("a subscription can resume after an event of an earlier one")
  func lastEventID() async throws {
    let server = try LoopbackServer { _ in .status(204) }
    #expect(try await events(server, lastEventID: "7").toArray().result().get().isEmpty)
    #expect(server.log.requests.first?.headers["Last-Event-ID"] == "7")
  }

  @Test("a caller's id that no field can hold is not sent")
  func unsendableInitialID() async throws {
    let server = try LoopbackServer { _ in .status(204) }
    #expect(try await events(server, lastEventID: "1\n2").toArray().result().get().isEmpty)
    #expect(lastEventIDs(server) == [nil])
  }

  @Test(
    "a status other than 200 ends the sequence with an error", arguments: [201, 404, 500])
  func refusals(status: Int) async throws {
    let server = try LoopbackServer { _ in Self.stream("data: a\n\n", status: status) }
    let error = await events(server).take(1).toArray().result().networkError
    #expect(error?.response?.statusCode == status)
    #expect(server.log.requestCount == 1)
  }

  @Test("another media type is an error that names the type")
  func mediaType() async throws {
    let server = try LoopbackServer { _ in .text("data: a\n\n") }
    let error = await events(server).toArray().result().networkError
    guard case .underlying(let reason, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      reason as? StreamError == .notAnEventStream(contentType: "text/plain; charset=utf-8"))
    try await server.log(until: { $0.pending == 0 && $0.requestCount == 1 })
  }

  @Test("an event that is too long is an error, and its transfer is cancelled")
  func tooLong() async throws {
    let server = try LoopbackServer { _ in
      Self.stream("data: 0123456789\n").bodyHeld(until: .init(), after: 15)
    }
    let source = provider.rx.events(LoopbackTarget(server, "/"), limit: 8)
    let error = await source.toArray().result().networkError
    guard case .underlying(let reason, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason as? StreamError == .lineTooLong(limit: 8))
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("the scheduler measures the reconnection time: the given time, then the server's")
  func time() throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let stubs = StubTable<LoopbackTarget>()
    func stream(_ text: String) throws -> EndpointSampleResponse {
      let url = try #require(URL(string: "http://localhost/"))
      let head = HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/event-stream"])
      return .response(try #require(head), Data(text.utf8))
    }
    stubs.add(
      path: "/",
      [
        try stream("data: a\n\n"), try stream("data: cut off"),
        try stream("retry: 170\ndata: b\n\n"), try stream("data: c\n\n"), .networkResponse(204, Data()),
      ])
    let queue = DispatchQueue(label: "time")
    let provider = NetworkProvider<LoopbackTarget>(callbackQueue: queue, stubs: stubs)
    let server = try LoopbackServer()
    let events = scheduler.createObserver(ServerSentEvent.self)
    let subscription = provider.rx.events(
      LoopbackTarget(server, "/"), reconnectionTime: .milliseconds(500), jitter: 0, scheduler: scheduler
    ).subscribe(events)
    // Time passes only while the queue is idle, because the handling of a response reads the clock.
    var hasEnded = false
    while !hasEnded, scheduler.clock <= 5_000 {
      queue.sync {}
      hasEnded = queue.sync { events.events.last?.value.isStopEvent == true }
      queue.suspend()
      if !hasEnded { scheduler.advanceTo(scheduler.clock + 10) }
      queue.resume()
    }
    subscription.dispose()
    #expect(server.log.requestCount == 0)
    #expect(events.events.map(\.time) == [0, 1_000, 1_170, 1_340])
  }
}
