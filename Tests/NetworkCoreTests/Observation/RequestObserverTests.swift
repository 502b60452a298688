import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The observers of requests", .timeLimit(.minutes(5)))
struct RequestObserverTests {
  private let transport = ScriptedTransport { $0.respond(200, headers: ["Content-Length": "2"], "ok") }
  private let target = LoopbackTarget(URL(staticString: "http://h"))

  @Test("without an observer, a transport gets no observation")
  func none() {
    NetworkProvider<LoopbackTarget>(transport: transport).request(target) { _ in }
    #expect(transport.transfers.map { $0.request.observer == nil } == [true])
  }

  @Test("an observer of one request receives only its events, with the announced length of its body")
  func one() {
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let events = ObservedEvents()
    provider.request(target) { _ in }
    provider.observed(by: events.didObserve).request(target) { _ in }
    provider.request(target) { _ in }
    #expect(events.names == ["queued", "started", "firstByte", "ended 200"])
    let lengths = events.all.compactMap {
      if case .bodyReceived(_, of: let length) = $0.kind { length } else { nil }
    }
    #expect(lengths == [2])
  }

  @Test("each retry of an interceptor is an event with its delay, before the attempt that follows")
  func retries() {
    let (time, events) = (ManualDelayScheduler(), ObservedEvents())
    let failing = ScriptedTransport { $0.respond(503) }
    let interceptor = ScriptedInterceptor("I", Log(), [.retry, .retryWithDelay(7)])
    let provider = NetworkProvider<LoopbackTarget>(
      transport: failing, interceptors: [interceptor], scheduler: time)
    provider.observed(by: events.didObserve).request(target) { _ in }
    #expect(events.names.last == "retried 7.0")
    time.advance(by: .seconds(7))
    let attempt = ["started", "firstByte"]
    #expect(
      events.names == ["queued"] + attempt + ["retried 0.0"] + attempt + ["retried 7.0"] + attempt
        + ["ended 503"])
  }

  @Test("the length of a compressed body is not announced, because its bytes are counted after decoding")
  func compressedLength() {
    let compressing = ScriptedTransport {
      $0.respond(200, headers: ["Content-Encoding": "gzip", "Content-Length": "30"], "ok")
    }
    let events = ObservedEvents()
    let provider = NetworkProvider<LoopbackTarget>(transport: compressing)
    provider.observed(by: events.didObserve).request(target) { _ in }
    let bodies = events.all.compactMap { event in
      if case .bodyReceived(let count, of: let length) = event.kind { [count, length] } else { nil }
    }
    let expected: [[Int64?]] = [[2, nil]]
    #expect(bodies == expected)
  }

  @Test("a task observes its request, and cancelling the task is observed as a cancellation")
  func task() async throws {
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let events = ObservedEvents()
    _ = try await provider.response(for: target)
    let response = try await provider.observed(by: events.didObserve).response(for: target)
    #expect(response.data == Data("ok".utf8))
    #expect(events.names == ["queued", "started", "firstByte", "ended 200"])

    let cancelled = ObservedEvents()
    let silent = ScriptedTransport()
    let hanging = NetworkProvider<LoopbackTarget>(transport: silent)
    let task = Task { [target] in
      await #expect(throws: NetworkError.self) {
        try await hanging.observed(by: cancelled.didObserve).response(for: target)
      }
    }
    await suspendUntil { !silent.transfers.isEmpty }
    task.cancel()
    #expect(await task.value?.isCancelled == true)
    #expect(cancelled.names == ["queued", "started", "cancelled"])
  }

  @Test("the endpoint of a target is the provider's")
  func endpoint() {
    let provider = NetworkProvider<LoopbackTarget>(
      endpointClosure: { _ in
        Endpoint(
          url: "http://other", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
          task: .requestPlain)
      }, transport: transport)
    let observed = provider.observed { _ in }
    #expect(observed.endpoint(target).url == "http://other")
  }

  @Test("the completion of an observed request runs on the queue that the request names")
  func callbackQueue() async {
    let (queue, key, log) = (DispatchQueue(label: "call"), DispatchSpecificKey<String>(), Log())
    queue.setSpecific(key: key, value: "call")
    let observed = NetworkProvider<LoopbackTarget>(transport: transport).observed { _ in }
    observed.request(target, callbackQueue: queue) { _ in
      log(DispatchQueue.getSpecific(key: key) ?? "none")
    }
    await queue.waitUntilDrained()
    #expect(log.all == ["call"])
  }

  @Test("the value of an observed request is decoded with the given decoder")
  func ownDecoder() async throws {
    struct Track: Decodable {
      let songTitle: String
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let provider = NetworkProvider<LoopbackTarget>(
      transport: ScriptedTransport { $0.respond(200, #"{"song_title": "Ceremony"}"#) })
    let observed = provider.observed { _ in }
    let track = try await observed.value(for: target, as: Track.self, using: decoder)
    #expect(track.songTitle == "Ceremony")
  }

  @Test("plugins are notified if the value of an observed request cannot be decoded")
  func failedValue() async {
    struct FailureLogger: DecodedResultPlugin {
      let log: Log
      func didDecode<Value, Failure: Error>(_ result: Result<Value, Failure>, target: any TargetType) {
        if case .failure = result { log("failure") }
      }
    }
    let log = Log()
    let provider = NetworkProvider<LoopbackTarget>(
      transport: transport, plugins: [FailureLogger(log: log)])
    let observed = provider.observed { _ in }
    await #expect(throws: NetworkError.self) { try await observed.value(for: target, as: Int.self) }
    #expect(log.all == ["failure"])
  }

  @Test("the events of an observed stream are delivered on the queue that the stream names")
  func queueOfStream() async {
    let (queue, key, log) = (DispatchQueue(label: "call"), DispatchSpecificKey<String>(), Log())
    queue.setSpecific(key: key, value: "call")
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let observed = NetworkProvider<LoopbackTarget>(transport: transport).observed { _ in }
    observed.stream(target, callbackQueue: queue) { event in
      log(DispatchQueue.getSpecific(key: key) ?? "none")
      if case .finished = event { end.finish() }
    }
    for await _ in ends {}
    #expect(log.all == ["call", "call", "call"])
  }

  @Test("the callbacks of an observed download, with its progress, run on the queue that the download names")
  func queueOfDownload() async throws {
    let (queue, key, log) = (DispatchQueue(label: "call"), DispatchSpecificKey<String>(), Log())
    queue.setSpecific(key: key, value: "call")
    let folder = try TemporaryFolder()
    let ending = CompletionStream()
    let observed = NetworkProvider<LoopbackTarget>(transport: transport).observed { _ in }
    observed.download(
      target, to: folder.file(), callbackQueue: queue,
      progress: { _ in log("progress \(DispatchQueue.getSpecific(key: key) ?? "none")") },
      completion: { result in
        log("completion \(DispatchQueue.getSpecific(key: key) ?? "none")")
        ending.completion(result)
      })
    _ = try await ending.next().get()
    #expect(Set(log.all) == ["progress call", "completion call"])
    #expect(folder.names == ["file"])
  }

  @Test("an observer receives the events of requests that start between its addition and its removal")
  func added() {
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let events = ObservedEvents()
    provider.request(target) { _ in }
    let token = provider.observeRequests(events.didObserve)
    provider.request(target) { _ in }
    token.cancel()
    provider.request(target) { _ in }
    #expect(events.names == ["queued", "started", "firstByte", "ended 200"])
    #expect(transport.transfers.map { $0.request.observer != nil } == [false, true, false])
  }

  @Test("an observer that is added through an observed provider receives the events of all requests")
  func addedThroughObserved() {
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let (own, added) = (ObservedEvents(), ObservedEvents())
    let observed = provider.observed(by: own.didObserve)
    let token = observed.observeRequests(added.didObserve)
    provider.request(target) { _ in }
    observed.request(target) { _ in }
    token.cancel()
    provider.request(target) { _ in }
    #expect(added.names.count { $0 == "queued" } == 2)
    #expect(own.names.count { $0 == "queued" } == 1)
  }

  /// Logs its name for each request that begins.
  private struct NamedObserver: RequestObserver {
    let name: String
    let log: Log

    func didObserve(_ event: RequestEvent) {
      if event.name == "queued" { log(name) }
    }
  }

  @Test("the plugins receive an event first, then the added observers in their order, then that of the call")
  func order() {
    let log = Log()
    let names = ["plugin"] + (0..<10).map { "\($0)" } + ["call"]
    let observers = names.map { NamedObserver(name: $0, log: log) }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [observers[0]])
    for observer in observers[1...10] { _ = provider.observeRequests(observer.didObserve) }
    provider.observed(by: observers[11].didObserve).request(target) { _ in }
    #expect(log.all == names)
  }

  @Test("a removed observer receives no more events of a request in flight")
  func removed() {
    let silent = ScriptedTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: silent)
    let events = ObservedEvents()
    let token = provider.observeRequests(events.didObserve)
    provider.request(target) { _ in }
    token.cancel()
    silent.transfers[0].respond()
    #expect(events.names == ["queued", "started"])
  }

  @Test("an event that an observer causes follows the event that it handles")
  func reentrant() {
    let silent = ScriptedTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: silent)
    let names = Log()
    let token = Lock<(any Cancellable)?>(nil)
    let observed = provider.observeRequests { event in
      if event.name == "firstByte" { token.withLock { $0 }?.cancel() }
      names(event.name ?? "")
    }
    let request = provider.request(target) { _ in }
    token.withLock { $0 = request }
    silent.transfers[0].send(.head(ResponseHead(statusCode: 200, url: "", headers: [:])))
    #expect(names.all == ["queued", "started", "firstByte", "cancelled"])
    withExtendedLifetime(observed) {}
  }

  @Test(
    "without a provider, an observation delivers each event once, in order, and times never decrease")
  func bare() {
    let events = ObservedEvents()
    let observation = RequestObservation(events.didObserve)
    let now = ContinuousClock.now
    observation.report(kind: .started(method: .get, url: "http://h"), at: now)
    observation.report(.requestSent, at: now - .seconds(1))
    observation.report(.requestSent, at: now)
    observation.report(.firstByte, at: now + .seconds(1))
    observation.report(.firstByte, at: now + .seconds(2))
    observation.report(kind: .ended(.cancelled, nil), at: now + .seconds(3))
    observation.report(.connecting, at: now + .seconds(4))
    #expect(events.names == ["started", "requestSent", "firstByte", "cancelled"])
    #expect(events.all.map { $0.time - now } == [.zero, .zero, .seconds(1), .seconds(3)])
    #expect(events.all.allSatisfy { $0.id == observation.id })
  }

  @Test("an observation that receives the events of a transfer ends with the metrics of that transfer")
  func metricsOfTransfer() {
    var metrics = TransferMetrics()
    metrics.total = .seconds(2)
    let events = ObservedEvents()
    let observation = RequestObservation(events.didObserve)
    observation.receive(.head(ResponseHead(statusCode: 200, url: "http://h", headers: [:])))
    observation.receive(.metrics(metrics))
    observation.receive(.finished(nil))
    #expect(events.names == ["firstByte", "ended 200"])
    #expect(events.end?.metrics == metrics)
  }

  @Test("a transfer that fails after its head ends with the status, and its length counts without a coding")
  func failureAfterHead() {
    let events = ObservedEvents()
    let observation = RequestObservation(events.didObserve)
    let fields: HTTPHeaders = ["Content-Encoding": "identity", "Content-Length": "9"]
    observation.receive(.head(ResponseHead(statusCode: 206, url: "http://h", headers: fields)))
    observation.receive(.body(Data(count: 4)))
    observation.receive(.finished(.connectionLost(reason: "r")))
    guard case .bodyReceived(4, of: 9)? = events.all.dropLast().last?.kind else {
      Issue.record("\(events.names)")
      return
    }
    #expect(events.names.last == "failed")
    #expect(events.end?.outcome.statusCode == 206)
  }

  @Test("after a retry, the bytes and the metrics of the attempt before do not count")
  func countsOfRetry() {
    let events = ObservedEvents()
    let observation = RequestObservation(events.didObserve)
    observation.report(kind: .started(method: .get, url: "http://h"))
    observation.receive(.body(Data(count: 5)))
    observation.receive(.metrics(TransferMetrics()))
    observation.report(kind: .retried(dueTo: .cancelled, after: .zero))
    observation.report(kind: .started(method: .get, url: "http://h"))
    observation.receive(.body(Data(count: 3)))
    observation.receive(.finished(.connectionLost(reason: "r")))
    #expect(events.all.compactMap(\.received) == [5, 3])
    #expect(events.names.last == "failed")
    #expect(events.end?.metrics == nil)
  }

  @Test("an ended request does not keep its observer alive, even if its token is alive")
  func lifetime() {
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    weak var kept: ObservedEvents?
    let observation: (any TransferObserver)?
    do {
      let events = ObservedEvents()
      kept = events
      provider.observed(by: events.didObserve).request(target) { _ in }
      observation = transport.transfers[0].request.observer
    }
    #expect(observation != nil)
    #expect(kept == nil)
  }

  /// A transfer that retains the observer of its request, as those of `CurlTransport` do.
  private final class ObservedTransfer: Transfer {
    private let observer: (any TransferObserver)?

    init(_ observer: (any TransferObserver)?) {
      self.observer = observer
    }

    var isCancelled: Bool { false }
    func cancel() {}
    func pause() {}
    func resume() {}
  }

  @Test("a transfer that comes with the head of an observed stream is released after its end")
  func transferOfHead() {
    weak var kept: ObservedTransfer?
    do {
      let transport = ScriptedTransport()
      let provider = NetworkProvider<LoopbackTarget>(transport: transport)
      provider.observed(by: { _ in }).stream(target) { _ in }
      let started = transport.transfers[0]
      #expect(started.request.observer != nil)
      let transfer = ObservedTransfer(started.request.observer)
      kept = transfer
      var head = ResponseHead(statusCode: 200, url: "http://h", headers: [:])
      head.transfer = transfer
      started.send(.head(head), .finished(nil))
    }
    #expect(kept == nil)
  }

  @Test("copies of a request name the first one, and a request that a callback starts is not a copy")
  func copies() {
    let events = ObservedEvents()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [events])
    let copies = RelatedRequests()
    for role in [RelatedRequests.Role.hedge, .hedge, .retry] {
      _ = RelatedRequests.run([copies.start(as: role)]) {
        provider.request(target) { _ in provider.request(target) { _ in } }
      }
    }
    provider.request(target) { _ in }
    let first = events.all[0].id
    #expect(
      events.causes == [.call, .call, .hedge(of: first), .call, .retry(of: first), .call, .call])
  }

  @Test("the text of an event hides secrets")
  func text() {
    let url = "http://me:pw@h/?token=secret"
    let id = RequestID()
    let kinds: [RequestEvent.Kind] = [
      .queued(.init(url: url)), .started(method: .get, url: url), .redirected(to: url, statusCode: 302),
      .retried(dueTo: .requestMapping(url), after: .seconds(1)), .ended(.failure(.requestMapping(url)), nil),
    ]
    for kind in kinds {
      let event = RequestEvent(id: id, kind: kind)
      var dumped = ""
      dump(event, to: &dumped)
      for text in ["\(event)", String(reflecting: event), dumped] {
        #expect(!text.contains("secret"))
        #expect(!text.contains("pw"))
        #expect(text.contains("<redacted>"))
      }
    }
    #expect("\(RequestEvent(id: id, kind: .firstByte))" == "RequestEvent(id: \(id), kind: firstByte)")
  }
}
