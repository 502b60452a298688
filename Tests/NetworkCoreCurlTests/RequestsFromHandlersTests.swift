import Dispatch
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("Requests that handlers start", .timeLimit(.minutes(5)))
struct RequestsFromHandlersTests {
  private let server: LoopbackServer
  private let transport: CurlTransport

  /// Each of its deliveries is a callback before or after those of the handler.
  private final class Observer: TransferObserver {
    func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool { true }
    func deliver() {}
  }

  init() throws {
    server = try LoopbackServer { _ in .text("now") }
    transport = try CurlTransport()
  }

  @Test("a request that a slow handler starts is sent at once", arguments: [false, true])
  func slowHandler(isObserved: Bool) async throws {
    for round in 1...20 {
      let gate = LoopbackServer.Gate()
      server.route("/held/\(round)") { _ in .text("late").held(until: gate) }
      let recorders = (0..<10).map { _ in TransferRecorder() }
      let next = TransferRecorder()
      let isFirst = Lock(true)
      let wasFirst = { @Sendable in
        isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
      }
      for recorder in recorders {
        let request = request("/held/\(round)", isObserved: isObserved)
        _ = transport.start(request) { event in
          defer { recorder.record(event) }
          guard case .finished = event, wasFirst() else { return }
          // Another thread calls the other callbacks meanwhile.
          _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(30))
          _ = transport.start(self.request("/next", isObserved: isObserved)) { next.record($0) }
        }
      }
      try await server.log(until: { $0.pending == recorders.count })
      gate.open()
      #expect(await next.waitForEnd().error == nil, "round \(round)")
      for recorder in recorders { #expect(await recorder.waitForEnd().error == nil) }
    }
  }

  @Test(
    "the last call of a handler can start the next request although the limit is one",
    arguments: [1, 2], [true, false])
  func requestLimit(threads: Int, onLoop: Bool) async throws {
    var configuration = CurlConfiguration()
    configuration.threads = threads
    configuration.connections.requestLimit = 1
    let transport = try CurlTransport(configuration: configuration)
    let last = TransferRecorder()
    @Sendable func start(_ left: Int) {
      let request = TransportRequest(url: server.origin)
      _ = transport.start(onLoop ? request.deliveredOnLoop : request) { event in
        guard case .finished(nil) = event, left > 1 else { return last.record(event) }
        start(left - 1)
      }
    }
    start(5)
    #expect(await last.waitForEnd().error == nil)
    #expect(server.log.requestCount == 5)
  }

  private func request(_ path: String, isObserved: Bool) -> TransportRequest {
    var request = TransportRequest(url: server.origin + path)
    if isObserved { request.observer = Observer() }
    return request
  }

  @Test("the events of a transfer arrive in order, one at a time, even if its handler blocks")
  func order() async throws {
    let pieces = (0..<50).map { String(repeating: "\($0 % 10)", count: 1_000) }
    server.route("/long") { _ in .text(pieces.joined()) }
    let recorders = (0..<20).map { _ in TransferRecorder() }
    let overlaps = Lock(0)
    for recorder in recorders {
      let isBusy = Lock(false)
      _ = transport.start(TransportRequest(url: "\(server.origin)/long")) { event in
        let wasBusy = isBusy.withLock { isBusy in
          defer { isBusy = true }
          return isBusy
        }
        if wasBusy { overlaps.withLock { $0 += 1 } }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(12))
        recorder.record(event)
        isBusy.withLock { $0 = false }
      }
    }
    for recorder in recorders {
      let end = await recorder.waitForEnd()
      #expect(end.error == nil)
      #expect(String(decoding: end.body, as: UTF8.self) == pieces.joined())
    }
    #expect(overlaps.withLock { $0 } == 0)
  }
}
