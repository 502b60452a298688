import Foundation
import Logging
import LoopbackServer
import ReactiveNetwork
import ReactiveNetworkServiceLifecycle
import RxLite
import ServiceLifecycle
import Synchronization
import Testing

private struct Page: TargetType {
  let baseURL: URL
  var path = "/page"
}

@Suite("A sequence as a service of a group", .timeLimit(.minutes(5)))
struct ObservableServiceTests {
  private let provider = NetworkProvider<Page>()

  private func group(_ services: any Service...) -> ServiceGroup {
    ServiceGroup(services: services, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("a graceful shutdown takes the requests off the wire, and the group returns")
  func shutdown() async throws {
    let server = try LoopbackServer { _ in .never }
    let page = Page(baseURL: server.baseURL)
    let group = group(
      ObservableService(provider.rx.request(page)),
      ObservableService(provider.rx.request(page).poll(every: .seconds(1))))
    async let end: Void = group.run()
    try await server.log { $0.pending == 2 }
    await group.triggerGracefulShutdown()
    try await end
    try await server.log { $0.abandoned.count == 2 && $0.openConnections == 0 }
  }

  @Test("a sequence may end with the requests in flight")
  func drain() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("done").held(until: gate) }
    let page = Page(baseURL: server.baseURL)
    let jobs = PublishSubject<Int>()
    let (isClosed, closed) = AsyncStream.makeStream(of: Void.self)
    let results = Mutex<[String]>([])
    let group = group(
      ObservableService { [provider] shutdown in
        jobs.startWith(1, 2)
          .do(onDispose: { closed.yield() })
          .take(until: shutdown)
          .flatMap { _ in provider.rx.request(page).mapString() }
          .do(onNext: { result in results.withLock { $0.append(result) } })
      })
    async let end: Void = group.run()
    try await server.log { $0.pending == 2 }
    await group.triggerGracefulShutdown()
    await isClosed.first { _ in true }
    jobs.onNext(3)
    gate.open()
    try await end
    #expect(results.withLock { $0 } == ["done", "done"])
    #expect(server.log.requests.count == 2 && server.log.abandoned.isEmpty)
  }

  @Test("an error of the sequence ends the group, and cancels its other services")
  func failure() async throws {
    let server = try LoopbackServer()
    let gate = LoopbackServer.Gate()
    server.route("/page") { _ in .status(500).held(until: gate) }
    server.route("/other") { _ in .never }
    let group = group(
      ObservableService(provider.rx.request(Page(baseURL: server.baseURL)).filterSuccessfulStatusCodes()),
      ObservableService(provider.rx.request(Page(baseURL: server.baseURL, path: "/other"))))
    let run = Task { try await group.run() }
    try await server.log { $0.pending == 2 }
    gate.open()
    let error = await #expect(throws: NetworkError.self) { try await run.value }
    #expect(error?.response?.statusCode == 500)
    try await server.log { $0.abandoned.map(\.request.path) == ["/other"] }
  }

  @Test("cancelling the group disposes a sequence that still waits for its requests")
  func cancellation() async throws {
    let server = try LoopbackServer { _ in .never }
    let request = provider.rx.request(Page(baseURL: server.baseURL)).asObservable()
    let group = group(ObservableService { _ in request })
    let run = Task { try await group.run() }
    try await server.log { $0.pending == 1 }
    await group.triggerGracefulShutdown()
    run.cancel()
    _ = await run.result
    try await server.log { $0.abandoned.count == 1 }
  }

  @Test("a disposal that blocks delays no other handler of the shutdown")
  func blockingDisposal() async throws {
    let (isRunning, running) = AsyncStream.makeStream(of: Void.self)
    let (isReady, ready) = AsyncStream.makeStream(of: Void.self)
    let isHandled = DispatchSemaphore(value: 0)
    let wasHandled = Mutex(false)
    let source = Observable<Void>.never().do(
      onSubscribed: { running.yield() },
      onDispose: {
        let isInTime = isHandled.wait(timeout: .now() + 60) == .success
        wasHandled.withLock { $0 = isInTime }
      })
    let group = group(
      ClosureService {
        let service = Task { try await ObservableService(source).run() }
        await isRunning.first { _ in true }
        try await withGracefulShutdownHandler {
          ready.yield()
          try await service.value
        } onGracefulShutdown: {
          isHandled.signal()
        }
      })
    async let end: Void = group.run()
    await isReady.first { _ in true }
    await group.triggerGracefulShutdown()
    try await end
    #expect(wasHandled.withLock { $0 })
  }
}
