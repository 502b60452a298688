import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Synchronization
import Testing

#if os(Linux)
  /// The number of forks of this process since `watchForks()`, without `posix_spawn`.
  private let forks = Atomic(0)

  private func watchForks() {
    pthread_atfork({ forks.add(1, ordering: .relaxed) }, nil, nil)
  }

  /// The condition for tests that fork: under the thread sanitizer, the child of a multithreaded process
  /// hangs.
  private let canFork: ConditionTrait = .enabled(
    if: dlsym(nil, "__tsan_init") == nil, "the thread sanitizer does not follow a fork of several threads")

  /// Runs `body` in a forked child and returns the child's exit status.
  ///
  /// If a signal ended the child, returns the negative of its number; a child that hangs is ended by a
  /// signal. Swift does not make `fork` available, for good reasons.
  private func inFork(_ body: () -> CInt) throws -> CInt {
    let symbol = try #require(dlsym(nil, "fork"))
    let id = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    if id == 0 {
      // The threads of Swift's pool block signals, and the child inherits that.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGALRM)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      alarm(20)
      exit(body())
    }
    var status: CInt = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }

  @Suite("Transports and child processes", .timeLimit(.minutes(5)))
  struct ForkTests {
    @Test("a transport does not fork", canFork)
    func forkFree() async {
      await #expect(processExitsWith: .success) {
        watchForks()
        let server = try LoopbackServer { .bytes($0.body) }
        let folder = try TemporaryFolder()
        try Data("sent".utf8).write(to: folder.file("body"))
        var configuration = CurlConfiguration()
        configuration.cookies = .file(folder.file("cookies").path)
        var transport: CurlTransport? = try CurlTransport(configuration: configuration)
        for host in ["127.0.0.1", "localhost"] {
          let request = TransportRequest(
            method: .put, url: "http://\(host):\(server.port)/", body: .file(folder.file("body")))
          #expect(await transport?.exchange(request).body == Data("sent".utf8))
        }
        #expect(await transport?.exchange(.init(url: "https://127.0.0.1:\(server.port)")).error != nil)
        transport = nil
        #expect(forks.load(ordering: .relaxed) == 0)
        // Proves that forks are counted.
        #expect(try inFork { 0 } == 0)
        #expect(forks.load(ordering: .relaxed) == 1)
      }
    }

    @Test("in a forked process requests end at once, and the parent's transport continues", canFork)
    func child() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { $0.path == "/held" ? .never : .text("ok") }
        var configuration = CurlConfiguration()
        configuration.connections.requestLimit = 2
        let transport = try CurlTransport(configuration: configuration)
        #expect(await transport.exchange(.init(url: server.origin)).body == Data("ok".utf8))
        let held = transport.record(.init(url: "\(server.origin)/held"))
        try await server.log(until: { $0.pending == 1 })
        let status = try inFork {
          let (recorder, next) = (TransferRecorder(), TransferRecorder())
          let transfer = transport.start(.init(url: server.origin)) { event in
            recorder.record(event)
            _ = transport.start(.init(url: server.origin), handler: next.record)
          }
          transfer.cancel()
          held.transfer.cancel()
          guard case .other(_, let reason)? = recorder.events.error else { return 1 }
          guard next.events.error == recorder.events.error else { return 3 }
          return reason.contains("forked") ? 7 : 2
        }
        #expect(status == 7)
        #expect(await transport.exchange(.init(url: server.origin)).body == Data("ok".utf8))
        #expect(held.recorder.events.errors.isEmpty)
        #expect(server.log.abandoned.isEmpty)
        held.transfer.cancel()
        #expect(await held.recorder.waitForEnd().error == .cancelled)
      }
    }

    @Test("in a forked process, all gauges are 0", canFork)
    func gauges() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .never }
        let transport = try CurlTransport()
        let held = transport.record(.init(url: server.origin))
        try await server.log(until: { $0.pending == 1 })
        #expect(transport.gauges.requestsInFlight == 1)
        let status = try inFork { transport.gauges == TransportGauges() ? 7 : 1 }
        #expect(status == 7)
        held.transfer.cancel()
        #expect(await held.recorder.waitForEnd().error == .cancelled)
      }
    }

    @Test("a forked process can exit while transports are active, without waiting for them", canFork)
    func exits() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try CurlTransport()
        let (isHeld, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let transfer = transport.start(.init(url: server.origin)) { event in
          guard case .finished = event else { return }
          isHeld.signal()
          goOn.wait()
        }
        isHeld.wait()
        let start = ContinuousClock.now
        for _ in 0..<20 { #expect(try inFork { 7 } == 7) }
        // A process waits up to one second for an active transport: 20 would take 20 seconds.
        #expect(ContinuousClock.now - start < .seconds(19))
        goOn.signal()
        #expect(await transport.exchange(.init(url: server.origin)).error == nil)
        withExtendedLifetime(transfer) {}
      }
    }

    @Test("a child process does not keep a transport's connections open")
    func program() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { $0.path == "/held" ? .never : .text("ok") }
        var transport: CurlTransport? = try CurlTransport()
        #expect(await transport?.exchange(.init(url: server.origin)).error == nil)
        let recorder = TransferRecorder()
        let transfer = transport?.start(.init(url: "\(server.origin)/held"), handler: recorder.record)
        try await server.log(until: { $0.pending == 1 })
        // Spawned without any file actions for descriptors.
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
        var id: pid_t = 0
        try #require(posix_spawn(&id, "/bin/sleep", nil, nil, &words, environ) == 0)
        transport = nil
        #expect(await recorder.waitForEnd().error == .cancelled)
        try await server.log(until: { $0.openConnections == 0 })
        #expect(kill(id, SIGKILL) == 0)
        var status: CInt = 0
        #expect(waitpid(id, &status, 0) == id)
        #expect(status == SIGKILL)
        withExtendedLifetime(transfer) {}
      }
    }
  }
#endif
