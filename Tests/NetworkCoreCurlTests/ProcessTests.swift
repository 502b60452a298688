import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if os(Linux)
  /// Tests that run in a separate process.
  @Suite("Processes that use transports", .timeLimit(.minutes(5)))
  struct ProcessTests {
    @Test("100 held requests take less than 1 % of a core")
    func idleCPU() async {
      await #expect(processExitsWith: .success) {
        func used() -> Double {
          var usage = rusage()
          getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
          let times = [usage.ru_utime, usage.ru_stime]
          return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        }
        let server = try LoopbackServer { _ in .never }
        let transport = try CurlTransport()
        var held = (0..<100).map { _ in transport.record(.init(url: server.origin)) }
        try await server.log(until: { $0.pending == 100 })
        // The body below exceeds the initial HTTP/2 window, which this server never enlarges.
        var options = LoopbackServer.Options()
        options.http2 = .init()
        options.http2?.windowSize = 0
        let strict = try LoopbackServer(tls: .generated, options: options)
        var configuration = CurlConfiguration()
        configuration.tls.authorities = .data(strict.authority)
        let secure = try CurlTransport(configuration: configuration)
        let body = Data(repeating: 7, count: 100_000)
        held.append(secure.record(.init(method: .post, url: strict.origin, body: .data(body))))
        try await strict.log { $0.bytesReceived > 100 }
        // The only test that must let time pass, because it measures how little happens meanwhile. The rest
        // of the start may fall into the first period; a loop that polls takes its share of each.
        var shares: [Double] = []
        repeat {
          let (time, processor) = (ContinuousClock.now, used())
          try await Task.sleep(for: .seconds(3))
          shares.append((used() - processor) / ((ContinuousClock.now - time) / .seconds(1)))
        } while shares.allSatisfy { $0 >= 0.01 } && shares.count < 5
        #expect(shares.contains { $0 < 0.01 }, "shares of a core: \(shares)")
        #expect(strict.log.requestCount == 0)
        for item in held { item.transfer.cancel() }
        for item in held { await item.recorder.waitForEnd() }
      }
    }

    @Test(
      "a connection reset during a write raises no signal, however the process handles SIGPIPE"
    )
    func signal() async {
      await #expect(processExitsWith: .success) {
        // The default action, which ends the process.
        Foundation.signal(SIGPIPE, SIG_DFL)
        let server = try LoopbackServer { _ in .reset }
        let transport = try CurlTransport()
        let body = Data(repeating: 7, count: 2 << 20)
        for _ in 0..<5 {
          let events = await transport.exchange(.init(method: .put, url: server.origin, body: .data(body)))
          #expect(events.error != nil)
        }
        for _ in 0..<5 {
          var options = LoopbackServer.Options()
          (options.bodyLimit, options.keptBodyBytes) = (.max, 0)
          let server = try LoopbackServer(tls: .generated, options: options)
          var configuration = CurlConfiguration()
          configuration.tls.authorities = .data(server.authority)
          let secure = try CurlTransport(configuration: configuration)
          let endless = BodyStream(length: 1 << 40) { _ in EndlessReader() }
          let (_, recorder) = secure.record(.init(method: .put, url: server.origin, body: .stream(endless)))
          try await server.log { $0.bytesReceived > 1 << 20 }
          server.stop()
          #expect(await recorder.waitForEnd().error != nil)
        }
      }
    }

    @Test("relative paths refer to the folder in which the transport was created")
    func chdir() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let elsewhere = try TemporaryFolder()
        try #require(FileManager.default.changeCurrentDirectoryPath(folder.url.path))
        let server = try LoopbackServer { request in
          request.path == "/held"
            ? .never
            : .text(request.text).header("Set-Cookie", "a=b; Max-Age=1000").header(
              "Cache-Control", "max-age=1000")
        }
        var configuration = CurlConfiguration()
        configuration.cookies = .file("cookies")
        let cache = try HTTPCache(directory: URL(fileURLWithPath: "cache"))
        var curl: CurlTransport? = try CurlTransport(configuration: configuration)
        var transport: CachingTransport? = try CachingTransport(#require(curl), cache: cache)
        try Data("sent".utf8).write(to: folder.file("body"))
        let body = URL(fileURLWithPath: "body")
        try #require(FileManager.default.changeCurrentDirectoryPath(elsewhere.url.path))
        for _ in 0..<2 { #expect(await transport?.exchange(.init(url: server.origin)).error == nil) }
        #expect(server.log.requestCount == 1)
        let sent = await transport?.exchange(
          .init(method: .put, url: "\(server.origin)/put", body: .file(body)))
        #expect(sent?.body == Data("sent".utf8))
        // The waiting request ends after the cookies have been written.
        let waiting = TransferRecorder()
        let transfer = curl?.start(.init(url: "\(server.origin)/held"), handler: waiting.record)
        (transport, curl) = (nil, nil)
        #expect(await waiting.waitForEnd().error == .cancelled)
        withExtendedLifetime(transfer) {}
        #expect(folder.names == ["body", "cache", "cookies"])
        #expect(elsewhere.names.isEmpty)
        withExtendedLifetime(cache) {}
      }
    }

    @Test("relative paths of certificates refer to the folder in which the transport was created")
    func chdirOfCertificates() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let elsewhere = try TemporaryFolder()
        var tls = LoopbackServer.TLS.generated
        tls.clientCertificates = .generated
        let server = try LoopbackServer(tls: tls) { .text($0.handshake?.clientSubject ?? "none") }
        let client = try server.makeClientIdentity(name: "client")
        _ = try folder.file("authority.pem", containing: server.authority)
        _ = try folder.file("client.pem", containing: client.certificate + client.key)
        try #require(FileManager.default.changeCurrentDirectoryPath(folder.url.path))
        var configuration = CurlConfiguration()
        configuration.tls.authorities = .file("authority.pem")
        configuration.tls.clientIdentities["*"] = .init(certificate: .file("client.pem"))
        let transport = try CurlTransport(configuration: configuration)
        try #require(FileManager.default.changeCurrentDirectoryPath(elsewhere.url.path))
        let events = await transport.exchange(.init(url: server.origin))
        #expect(events.body == Data("/CN=client".utf8), "\(String(describing: events.error))")
        withExtendedLifetime((folder, elsewhere)) {}
      }
    }

    @Test("a process that exits while a transport is released, and another is active, keeps its status")
    func exits() async {
      for _ in 0..<4 {
        await #expect(processExitsWith: .exitCode(7)) {
          let server = try LoopbackServer { _ in .text("ok").header("Set-Cookie", "a=b; Max-Age=1000") }
          let folder = try TemporaryFolder()
          var configuration = CurlConfiguration()
          configuration.cookies = .file(folder.file("cookies").path)
          var transport: CurlTransport? = try CurlTransport(configuration: configuration)
          let busy = try CurlTransport()
          for _ in 0..<50 { _ = busy.start(.init(url: server.origin)) { _ in } }
          #expect(await transport?.exchange(.init(url: server.origin)).error == nil)
          transport = nil
          while !folder.names.contains("cookies") {}
          _ = try? FileManager.default.removeItem(at: folder.url)
          exit(7)
        }
      }
    }

    @Test("a handler can end the process")
    func exitsByHandler() async {
      await #expect(processExitsWith: .exitCode(7)) {
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try CurlTransport()
        for _ in 0..<5 { _ = try CurlTransport().start(.init(url: server.origin)) { _ in } }
        _ = transport.start(.init(url: server.origin)) { event in
          if case .finished = event { exit(7) }
        }
        // Nothing resumes this; only the handler can end the process.
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        withExtendedLifetime(transport) {}
      }
    }

    @Test("a transfer continues if all threads of the system's pool are blocked")
    func blockedPool() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .text("ok") }
        let (gate, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<1_000 { DispatchQueue.global().async { gate.wait() } }
        for kind in TransportKind.allCases {
          let transport = try kind.make()
          let recorder = TransferRecorder()
          let transfer = transport.start(.init(url: server.origin)) { event in
            recorder.record(event)
            if case .finished = event { isOver.signal() }
          }
          // Blocking, because tasks run on threads of the pool.
          #expect(Self.wait(for: isOver), "\(kind)")
          #expect(recorder.events.body == Data("ok".utf8))
          withExtendedLifetime((transport, transfer)) {}
        }
        for _ in 0..<1_000 { gate.signal() }
      }
    }

    private static func wait(for semaphore: DispatchSemaphore) -> Bool {
      semaphore.wait(timeout: .now() + TestTimeouts.longestWait) == .success
    }

    @Test("2,000 faults of every kind do not increase descriptors and threads")
    func faults() async {
      await #expect(processExitsWith: .success) {
        let ok = "HTTP/1.1 200 OK\r\n"
        let server = try LoopbackServer { request in
          switch (Int(request.path.dropFirst()) ?? 0) % 8 {
          case 0: .close
          case 1: .reset
          case 2: .raw("garbage\r\n\r\n".utf8)
          case 3: .raw((ok + "Content-Length: 9\r\n\r\nok").utf8)
          case 4: .raw((ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n").utf8)
          case 5: .redirect(to: "file:///etc/passwd")
          case 6: .never
          default: .text("ok")
          }
        }
        let transport = try CurlTransport()
        _ = await transport.exchange(.init(url: "\(server.origin)/7"))
        try await server.log(until: { $0.openConnections <= 1 })
        let before = (ProcessFacts.descriptors ?? 0, ProcessFacts.threads(named: "CurlTransport"))
        await withTaskGroup(of: Void.self) { group in
          for task in 0..<8 {
            group.addTask {
              for index in stride(from: task, to: 2_000, by: 9) {
                let (transfer, recorder) = transport.record(
                  .init(
                    url: "\(server.origin)/\(index)",
                    idleTimeout: index % 8 == 6 ? .milliseconds(50) : .seconds(60)))
                let error = await recorder.waitForEnd().error
                // The parent process shows only the comments of the expectations that fail here.
                #expect((error != nil) == (index % 8 != 7), "\(index): \(String(describing: error))")
                withExtendedLifetime(transfer) {}
              }
            }
          }
        }
        #expect(await transport.exchange(.init(url: "\(server.origin)/7")).error == nil, "the last request")
        // At most the connections that eight concurrent requests can leave for reuse, at both ends.
        do {
          try await server.log(until: { $0.openConnections <= 8 })
        } catch {
          Issue.record("\(error)")
        }
        let after = (ProcessFacts.descriptors ?? 0, ProcessFacts.threads(named: "CurlTransport"))
        #expect(after.0 <= before.0 + 16, "\(before.0), then \(after.0)")
        #expect(after.1 == before.1, "\(String(describing: before.1)), then \(String(describing: after.1))")
      }
    }
  }
#endif

/// A body that never ends.
private final class EndlessReader: BodyReader {
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    buffer.initializeMemory(as: UInt8.self, repeating: 7)
    return buffer.count
  }
}
