import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

/// The thread that runs a loop calls the handler of the only transfer, and the loop is parked meanwhile.
@Suite("A loop whose thread calls a handler", .timeLimit(.minutes(5)))
struct ParkedLoopTests {
  private let server: LoopbackServer
  private let transport: CurlTransport

  init() async throws {
    server = try LoopbackServer { _ in .text("now") }
    transport = try CurlTransport()
    // A loop is parked only if another thread is there that can run it.
    for _ in 0..<3 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
  }

  /// Sends a request, and calls a closure within the handler's last call.
  private func exchange(
    onLoop: Bool = false, _ atEnd: @escaping @Sendable () -> Void
  ) async -> TransferRecorder.Events {
    let recorder = TransferRecorder()
    let request = TransportRequest(url: server.origin)
    _ = transport.start(onLoop ? request.deliveredOnLoop : request) { event in
      if case .finished = event { atEnd() }
      recorder.record(event)
    }
    return await recorder.waitForEnd()
  }

  @Test("is the one that has carried the only transfer")
  func thread() async throws {
    let carrying = Lock(Set<ObjectIdentifier>())
    let calling = Lock(Set<ObjectIdentifier>())
    for _ in 0..<100 {
      let carried = await exchange(onLoop: true) {
        carrying.withLock { _ = $0.insert(ObjectIdentifier(Thread.current)) }
      }
      let called = await exchange { calling.withLock { _ = $0.insert(ObjectIdentifier(Thread.current)) } }
      #expect(carried.error == nil)
      #expect(called.error == nil)
    }
    #expect(!carrying.withLock { $0 }.isDisjoint(with: calling.withLock { $0 }))
  }

  @Test("sends the requests of other threads, and those of the handler, while the handler blocks")
  func blocked() async throws {
    for _ in 0..<100 {
      let (gate, own) = (DispatchSemaphore(value: 0), TransferRecorder())
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      async let blocked = exchange { [transport, server] in
        begin.yield()
        _ = transport.start(.init(url: server.origin)) { own.record($0) }
        gate.wait()
      }
      for await _ in begun { break }
      #expect(await transport.exchange(.init(url: server.origin)).error == nil)
      #expect(await own.waitForEnd().error == nil)
      gate.signal()
      #expect(await blocked.error == nil)
    }
  }

  @Test("sends a request that starts while the loop is being parked")
  func raced() async throws {
    for round in 0..<2_000 {
      let (ended, other) = (DispatchSemaphore(value: 0), TransferRecorder())
      let recorder = TransferRecorder()
      _ = transport.start(.init(url: server.origin)) { event in
        if case .finished = event { try? TransportThread.wait { ended.wait() } }
        recorder.record(event)
      }
      let start = ContinuousClock.now
      while ContinuousClock.now - start < .microseconds(round % 300) {}
      _ = transport.start(.init(url: server.origin)) { event in
        other.record(event)
        if case .finished = event { ended.signal() }
      }
      #expect(await other.waitForEnd().error == nil)
      #expect(await recorder.waitForEnd().error == nil)
    }
  }

  @Test("reports its gauges to the handler")
  func gauges() async throws {
    for _ in 0..<100 {
      let inFlight = Lock(-1)
      let end = await exchange { [transport] in
        inFlight.withLock { $0 = transport.gauges.requestsInFlight }
      }
      #expect(end.error == nil)
      #expect(inFlight.withLock { $0 } == 0)
    }
  }

  @Test("lets the handler exit the process")
  func exits() async throws {
    await #expect(processExitsWith: .exitCode(7)) {
      let tests = try await ParkedLoopTests()
      _ = await tests.exchange { exit(7) }
    }
  }

  @Test("outlives a write to a closed connection")
  func closedConnection() async throws {
    await #expect(processExitsWith: .success) {
      let tests = try await ParkedLoopTests()
      let recorder = TransferRecorder()
      _ = tests.transport.start(.init(url: tests.server.origin).deliveredOnLoop) { event in
        if case .head = event { raise(SIGPIPE) }
        recorder.record(event)
      }
      #expect(await recorder.waitForEnd().error == nil)
      for _ in 0..<3 { #expect(await tests.exchange {}.error == nil) }
    }
  }

  @Test("leaves the handler the signals of the process")
  func signals() async throws {
    for _ in 0..<20 {
      let isBlocked = Lock(CInt(-1))
      let end = await exchange {
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        isBlocked.withLock { $0 = sigismember(&blocked, SIGPIPE) }
      }
      #expect(end.error == nil)
      #expect(isBlocked.withLock { $0 } == 0)
    }
  }

  @Test("leaves handlers that need further threads the signals of the process")
  func signalsOnFurtherThreads() async throws {
    let (count, gate) = (6, DispatchSemaphore(value: 0))
    let isBlocked = Lock([CInt]())
    let recorders = (0..<count).map { _ in
      let recorder = TransferRecorder()
      _ = transport.start(.init(url: server.origin)) { event in
        defer { recorder.record(event) }
        guard case .finished = event else { return }
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        let waiting = isBlocked.withLock { isBlocked in
          isBlocked.append(sigismember(&blocked, SIGPIPE))
          return isBlocked.count
        }
        if waiting == count { for _ in 0..<count { gate.signal() } }
        gate.wait()
      }
      return recorder
    }
    for recorder in recorders { #expect(await recorder.waitForEnd().error == nil) }
    #expect(isBlocked.withLock { $0 } == Array(repeating: 0, count: count))
  }

  @Test(
    "loses no request of one to three tasks whose handlers return, block, wait, compute or send another one",
    arguments: 1...3)
  func storm(tasks: Int) async throws {
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let target = LoopbackTarget(server, "/")
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask { [transport, server] in
          for round in 0..<200 {
            let (recorder, next) = (TransferRecorder(), TransferRecorder())
            _ = transport.start(.init(url: server.origin)) { event in
              defer { recorder.record(event) }
              guard case .finished = event else { return }
              switch (round + task) % 7 {
              case 0: _ = transport.start(.init(url: server.origin)) { next.record($0) }
              case 1:
                #expect(throws: Never.self) { try provider.requestAndWait(target).get() }
              case 2:
                let isOver = DispatchSemaphore(value: 0)
                _ = transport.start(.init(url: server.origin)) { event in
                  if case .finished = event { isOver.signal() }
                }
                isOver.wait()
              case 3: for _ in 0..<round { _ = "\(round)".hashValue }
              default: break
              }
            }
            #expect(await recorder.waitForEnd().error == nil)
            if (round + task) % 7 == 0 { #expect(await next.waitForEnd().error == nil) }
          }
        }
      }
    }
  }
}
