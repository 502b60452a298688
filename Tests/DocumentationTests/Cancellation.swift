@preconcurrency import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

/// The examples in the article, about one service.
private struct Examples {
  let provider: NetworkProvider<Shop>

  init(at server: LoopbackServer) {
    provider = NetworkProvider(at: server)
  }

  struct Item: Decodable {
    let name: String
  }

  enum Shop: TargetType {
    case search(String)
    case report
    case list
    case details(Int)

    var baseURL: URL { URL(string: "https://shop.example")! }
    var path: String {
      switch self {
      case .search(let text): "/search/\(text)"
      case .report: "/report"
      case .list: "/list"
      case .details(let id): "/details/\(id)"
      }
    }
  }

  func results(for texts: Observable<String>) -> Observable<[Item]> {
    texts.distinctUntilChanged().flatMapLatest { text in
      provider.rx.value(.search(text), as: [Item].self).catchAndReturn([])
    }
  }

  func report(until button: Observable<Void>) -> Observable<Item> {
    provider.rx.value(.report, as: Item.self).asObservable().take(until: button)
  }

  final class Screen {
    private let provider: NetworkProvider<Shop>
    private var bag = DisposeBag()

    init(provider: NetworkProvider<Shop>) {
      self.provider = provider
    }

    func show(_ ids: [Int]) {
      bag = DisposeBag()
      for id in ids {
        provider.rx.value(.details(id), as: Item.self)
          .subscribe(onMain: { item in print(item.name) })
          .disposed(by: bag)
      }
    }
  }

  func report(within limit: RxTimeInterval, scheduler: any SchedulerType) -> Single<Item> {
    provider.rx.value(.report, as: Item.self).requestTimeout(limit, scheduler: scheduler)
  }

  /// Emits each received signal as an element; these signals no longer end the process.
  func signals(_ numbers: Int32...) -> Observable<Int32> {
    Observable.merge(
      numbers.map { number in
        Observable.create { observer in
          signal(number, SIG_IGN)
          let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
          let isReady = DispatchSemaphore(value: 0)
          source.setRegistrationHandler { isReady.signal() }
          source.setEventHandler { observer.onNext(number) }
          source.resume()
          isReady.wait()  // an earlier signal would be lost
          return Disposables.create { source.cancel() }
        }
      })
  }

  func watch(_ ids: [Int]) -> MaterializedSequenceResult<Response> {
    let end = Observable.merge(ids.map { provider.rx.request(.details($0)).poll(every: .seconds(10)) })
      .take(until: signals(SIGTERM, SIGINT))
      .toBlocking().materialize()
    return end
  }

  func allDetails() -> Observable<Item> {
    provider.rx.value(.list, as: [Int].self).asObservable()
      .flatMap { ids in
        Observable.from(ids).flatMap(maxConcurrent: 4) { id in
          provider.rx.value(.details(id), as: Item.self)
        }
      }
  }

  func loadReport() async throws -> Item {
    try await provider.rx.value(.report, as: Item.self).value
  }

  func printDetails() async throws {
    for try await item in allDetails().values { print(item.name) }
  }

  func bothDetails(_ first: Int, _ second: Int) async throws -> [Item] {
    async let one = provider.value(for: .details(first), as: Item.self)
    async let two = provider.value(for: .details(second), as: Item.self)
    return try await [one, two]
  }
}

/// The texts that a sequence produced, which a test can wait for.
private struct TextStream: Sendable {
  let texts: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init() {
    (texts, continuation) = AsyncStream.makeStream()
  }

  func add(_ text: String) { continuation.yield(text) }

  var first: String? {
    get async { await texts.first { _ in true } }
  }
}

@Suite("Examples in Cancellation", .timeLimit(.minutes(5)))
struct CancellationTests {
  private let ends = TextStream()

  @Test("a newer text closes the connection of the older one's request")
  func switching() async throws {
    let server = try LoopbackServer { $0.path == "/search/sw" ? .json(#"[{"name": "swift"}]"#) : .never }
    let texts = PublishSubject<String>()
    let subscription = Examples(at: server).results(for: texts)
      .subscribe(onNext: { [ends] in ends.add("\($0.map(\.name))") })
    texts.onNext("s")
    try await server.log(until: { $0.pending == 1 })
    texts.onNext("sw")
    #expect(await ends.first == #"["swift"]"#)
    let log = try await server.log(until: { $0.abandoned.count == 1 && $0.answered == 1 })
    #expect(log.abandoned.map(\.request.path) == ["/search/s"])
    subscription.dispose()
  }

  @Test("a button completes the sequence and closes the connection")
  func button() async throws {
    let server = try LoopbackServer { _ in .never }
    let button = PublishSubject<Void>()
    let subscription = Examples(at: server).report(until: button).subscribe(
      onNext: { [ends] in ends.add($0.name) }, onError: { [ends] in ends.add("\($0)") },
      onCompleted: { [ends] in ends.add("completed") })
    try await server.log(until: { $0.pending == 1 })
    button.onNext(())
    #expect(await ends.first == "completed")
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    subscription.dispose()
  }

  @Test("a screen closes its connections when it shows other contents, and when it is released")
  func screen() async throws {
    let server = try LoopbackServer { _ in .never }
    var screen: Examples.Screen? = Examples.Screen(provider: NetworkProvider(at: server))
    screen?.show([1, 2])
    try await server.log(until: { $0.pending == 2 })
    screen?.show([3])
    let log = try await server.log(until: { $0.abandoned.count == 2 && $0.pending == 1 })
    #expect(Set(log.abandoned.map(\.request.path)) == ["/details/1", "/details/2"])
    screen = nil
    try await server.log(until: { $0.abandoned.count == 3 && $0.openConnections == 0 })
  }

  @Test("a timeout fails with the network's error and closes the connection")
  func timeout() async throws {
    let server = try LoopbackServer { _ in .never }
    let scheduler = TestScheduler(initialClock: 0)
    let subscription = Examples(at: server).report(within: .seconds(10), scheduler: scheduler)
      .subscribe(onFailure: { [ends] error in
        ends.add((error as? NetworkError)?.transferError.map { "\($0)" } ?? "\(error)")
      })
    try await server.log(until: { $0.pending == 1 })
    scheduler.advanceTo(9)
    #expect(server.log.abandoned.isEmpty)
    scheduler.advanceTo(11)
    #expect(await ends.first == "\(TransferError.timedOut(.total, after: .seconds(10)))")
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    subscription.dispose()
  }

  @Test("SIGTERM closes all connections, and the program ends by itself")
  func shutdown() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let server = try LoopbackServer { _ in .never }
      let examples = Examples(at: server)
      let asker = Thread {
        guard case .completed(let elements) = examples.watch([1, 2, 3]), elements.isEmpty else { exit(1) }
        let log = try? server.waitUntil { $0.abandoned.count == 3 && $0.openConnections == 0 }
        exit(log == nil ? 2 : 7)
      }
      asker.start()
      try await server.log(until: { $0.pending == 3 })
      kill(getpid(), SIGTERM)
      // The other thread ends the process.
      try await server.log(until: { $0.rejected > 0 })
    }
  }

  @Test("disposing a chain cancels the requests that it has started")
  func children() async throws {
    let server = try LoopbackServer { $0.path == "/list" ? .json("[1, 2, 3, 4, 5, 6]") : .never }
    let subscription = Examples(at: server).allDetails().subscribe()
    try await server.log(until: { $0.pending == 4 })
    subscription.dispose()
    let log = try await server.log(until: { $0.abandoned.count == 4 && $0.pending == 0 })
    #expect(log.requestCount == 5)
  }

  @Test("a child that fails cancels its siblings")
  func siblings() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { $0.path == "/list" ? .json("[1, 2, 3, 4, 5, 6]") : .never }
    server.route("/details/2") { _ in .status(500).held(until: gate) }
    let subscription = Examples(at: server).allDetails().subscribe(onError: { [ends] error in
      ends.add("\((error as? NetworkError)?.response?.statusCode ?? 0)")
    })
    try await server.log(until: { $0.pending == 4 })
    gate.open()
    #expect(await ends.first == "500")
    let log = try await server.log(until: { $0.abandoned.count == 3 && $0.pending == 0 })
    #expect(Set(log.abandoned.map(\.request.path)) == ["/details/1", "/details/3", "/details/4"])
    subscription.dispose()
  }

  @Test("cancelling a task that waits for a value cancels its request")
  func taskOfValue() async throws {
    let server = try LoopbackServer { _ in .never }
    let examples = Examples(at: server)
    let task = Task { try await examples.loadReport() }
    try await server.log(until: { $0.pending == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
  }

  @Test("cancelling a task that loops over values cancels all requests")
  func taskOfValues() async throws {
    let server = try LoopbackServer { $0.path == "/list" ? .json("[1, 2, 3]") : .never }
    let examples = Examples(at: server)
    let task = Task { try await examples.printDetails() }
    try await server.log(until: { $0.pending == 3 })
    task.cancel()
    _ = await task.result
    try await server.log(until: { $0.abandoned.count == 3 && $0.pending == 0 })
  }

  @Test("a task that fails cancels the request of its sibling")
  func taskOfTwo() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .never }
    server.route("/details/1") { _ in .status(500).held(until: gate) }
    let examples = Examples(at: server)
    let task = Task { try await examples.bothDetails(1, 2) }
    try await server.log(until: { $0.pending == 2 })
    gate.open()
    let error = await #expect(throws: NetworkError.self) { _ = try await task.value }
    #expect(error?.response?.statusCode == 500)
    let log = try await server.log(until: { $0.abandoned.count == 1 && $0.pending == 0 })
    #expect(log.abandoned.map(\.request.path) == ["/details/2"])
  }

  @Test("the log of a server proves the cancellation")
  func proof() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<Examples.Shop>(at: server)
    let subscription = provider.rx.request(.report).subscribe()
    try await server.log(until: { $0.pending == 1 })
    subscription.dispose()
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
  }
}
