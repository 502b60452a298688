import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("The events of requests as observables", .timeLimit(.minutes(5)))
struct RequestEventsTests {
  private struct Target: TargetType {
    let baseURL: URL
    let path = "/"
    var method = HTTPMethod.get
  }

  private func name(_ event: RequestEvent) -> String? {
    switch event.kind {
    case .queued: "queued"
    case .started: "started"
    case .ended(.response(let status), _): "ended \(status)"
    case .ended(.failure, _): "failed"
    case .ended(.cancelled, _): "cancelled"
    default: nil
    }
  }

  @Test("rx.requestEvents has the events of all requests while it is subscribed")
  func all() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = NetworkProvider<Target>()
    let target = Target(baseURL: server.baseURL)
    let notes = Log()
    let subscription = provider.rx.requestEvents.compactMap(name).subscribe(onNext: notes.add)
    _ = try await provider.response(for: target)
    _ = try await provider.response(for: target)
    subscription.dispose()
    _ = try await provider.response(for: target)
    #expect(notes.all == ["queued", "started", "ended 200", "queued", "started", "ended 200"])
  }

  @Test("rx.requestEvents(of:) sends the request, and completes after its end")
  func one() async throws {
    let server = try LoopbackServer { _ in .status(404) }
    let provider = NetworkProvider<Target>()
    let events = provider.rx.requestEvents(of: Target(baseURL: server.baseURL)).compactMap(name)
    #expect(server.log.requests.isEmpty)
    var all: [String] = []
    for try await event in events.values { all.append(event) }
    #expect(all == ["queued", "started", "ended 404"])
    #expect(server.log.requests.count == 1)
  }

  /// A transport whose transfers a test ends.
  private final class ScriptedTransport: Transport {
    private let handlers = Lock([@Sendable (TransferEvent) -> Void]())

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      handlers.withLock { $0.append(handler) }
      return CancellableToken {}
    }

    func send(_ events: TransferEvent..., ofTransfer index: Int) {
      let handler = handlers.withLock { $0[index] }
      for event in events { handler(event) }
    }
  }

  @Test("rx.requestEvents(of:) does not complete with the end of a hedge's second copy")
  func secondCopy() throws {
    let (wire, time, notes) = (ScriptedTransport(), ManualDelayScheduler(), Log())
    let budget = RetryBudget(ratio: 1, scheduler: time)
    let policy = HedgePolicy(after: .fixed(.seconds(2)), budget: budget, scheduler: time)
    let provider = NetworkProvider<Target>(transport: wire.hedged(policy))
    let target = Target(baseURL: try #require(URL(string: "http://h")))
    let subscription = provider.rx.requestEvents(of: target).compactMap(name)
      .subscribe(onNext: notes.add, onCompleted: { notes.add("completed") })
    time.advance(by: .seconds(2))
    wire.send(.finished(.connectionLost(reason: "reset")), ofTransfer: 1)
    let head = ResponseHead(statusCode: 204, url: "http://h/", headers: [:])
    wire.send(.head(head), .finished(nil), ofTransfer: 0)
    #expect(
      notes.all == ["queued", "started", "queued", "started", "failed", "ended 204", "completed"])
    subscription.dispose()
  }

  @Test("a second copy of a POST that was not sent does not allow that the first one is sent again")
  func unsentSecondCopy() throws {
    let (wire, time, notes) = (ScriptedTransport(), ManualDelayScheduler(), Log())
    let budget = RetryBudget(ratio: 1, scheduler: time)
    let policy = HedgePolicy(
      after: .fixed(.seconds(2)), budget: budget, hedgeableHTTPMethods: [.post], scheduler: time)
    let provider = NetworkProvider<Target>(transport: wire.hedged(policy))
    let target = Target(baseURL: try #require(URL(string: "http://h")), method: .post)
    let subscription = provider.rx.requestEvents(of: target)
      .map { event -> Int in
        // Not that of the second copy.
        if case .ended(.failure(let error), _) = event.kind, case .connectionLost? = error.transferError {
          throw error
        }
        return 1
      }
      .retry(backoff: .constant(.seconds(3_600)), maxAttempts: 2)
      .subscribe(onError: { _ in notes.add("failed") })
    time.advance(by: .seconds(2))
    let unsent = TransferError.cannotConnect(url: "http://h", reason: "refused", isUnsent: true)
    wire.send(.finished(unsent), ofTransfer: 1)
    #expect(notes.all.isEmpty)
    wire.send(.finished(.connectionLost(reason: "reset")), ofTransfer: 0)
    #expect(notes.all == ["failed"])
    subscription.dispose()
  }

  @Test("the end of a request of rx.requestEvents(of:callbackQueue:) arrives on the queue")
  func callbackQueue() throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "callbacks")
    queue.setSpecific(key: key, value: "callbacks")
    let (wire, notes) = (ScriptedTransport(), Log())
    let provider = NetworkProvider<Target>(transport: wire)
    let target = Target(baseURL: try #require(URL(string: "http://h")))
    let subscription = provider.rx.requestEvents(of: target, callbackQueue: queue).compactMap(name)
      .subscribe(onNext: { notes.add("\($0), \(DispatchQueue.getSpecific(key: key) ?? "here")") })
    let head = ResponseHead(statusCode: 204, url: "http://h/", headers: [:])
    wire.send(.head(head), .finished(nil), ofTransfer: 0)
    queue.sync {}
    #expect(notes.all == ["queued, here", "started, here", "ended 204, callbacks"])
    subscription.dispose()
  }

  @Test("a POST of rx.requestEvents(of:) counts as sent, so a retry does not repeat it")
  func retried() throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let target = Target(baseURL: server.baseURL, method: .post)
    let lost = NetworkError.underlying(TransferError.connectionLost(reason: "reset"), nil)
    let events = NetworkProvider<Target>().rx.requestEvents(of: target)
      .concat(Observable<RequestEvent>.error(lost))
      .retry(backoff: .constant(.nanoseconds(1)), maxAttempts: 2, when: { _ in true })
    #expect(throws: NetworkError.self) { try events.toBlocking().toArray() }
    #expect(server.log.requestCount == 1)
  }

  @Test("disposing rx.requestEvents(of:) cancels the request")
  func disposed() throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<Target>()
    let events = provider.rx.requestEvents(of: Target(baseURL: server.baseURL))
    let subscription = events.subscribe()
    try server.waitUntil { $0.pending == 1 }
    subscription.dispose()
    try server.waitUntil { $0.pending == 0 }
  }

  private func observed(_ provider: NetworkProvider<Target>, _ notes: Log) -> ObservedProvider<Target> {
    provider.observed { event in
      if let name = self.name(event) { notes.add(name) }
    }
  }

  @Test("rx.request of an observed provider delivers the response and the events")
  func observed() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = NetworkProvider<Target>()
    let notes = Log()
    let single = observed(provider, notes).rx.request(Target(baseURL: server.baseURL))
    #expect(try await single.value.mapString() == "ok")
    #expect(notes.all == ["queued", "started", "ended 200"])
  }

  @Test(
    "rx.stream of an observed provider delivers the chunks, and the events of each subscription's request")
  func stream() async throws {
    let server = try LoopbackServer { _ in .text("one\ntwo\n") }
    let provider = NetworkProvider<Target>()
    let notes = Log()
    let lines = observed(provider, notes).rx.stream(Target(baseURL: server.baseURL)).lines()
    for _ in 0..<2 { #expect(try await lines.toArray().value == ["one", "two"]) }
    #expect(notes.all == ["queued", "started", "ended 200", "queued", "started", "ended 200"])
  }

  @Test("rx.download of an observed provider delivers the progress and the events")
  func download() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    let provider = NetworkProvider<Target>()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { _ = try? FileManager.default.removeItem(at: file) }
    let notes = Log()
    let download = observed(provider, notes).rx.download(Target(baseURL: server.baseURL), to: file)
    #expect(try await download.toArray().value.last?.response?.fileURL == file)
    #expect(try Data(contentsOf: file) == Data("0123456789".utf8))
    #expect(notes.all == ["queued", "started", "ended 200"])
  }

  @Test("rx.requestWithProgress of an observed provider delivers the progress and the events")
  func progress() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    let provider = NetworkProvider<Target>()
    let notes = Log()
    let progress = observed(provider, notes).rx.requestWithProgress(Target(baseURL: server.baseURL))
    #expect(try await progress.toArray().value.last?.response?.data == Data("0123456789".utf8))
    #expect(notes.all == ["queued", "started", "ended 200"])
  }
}
