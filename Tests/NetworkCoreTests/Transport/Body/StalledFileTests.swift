import Foundation
import LoopbackServer
import NetworkCore
import Testing

#if os(Linux)
  @Suite(
    "Bodies in files that cannot be opened at once", .timeLimit(.minutes(5)),
    .enabled(if: LeasedFile.isPossible, "the file system of temporary files has no leases"))
  struct StalledFileTests {
    private let data = Data(ExchangeTests.megabyte)

    @Test("others go on, and the body is sent once it can be")
    func stalled() async throws {
      let server = try LoopbackServer { .text("\($0.path) \($0.bodyLength)") }
      let file = try LeasedFile(containing: data)
      try #require(file.isLeased)
      let transport = try CurlTransport()
      let stalled = transport.record(
        .init(method: .put, url: "\(server.origin)/file", body: .file(file.url)))
      for _ in 0..<20 {
        #expect(await transport.exchange(.init(url: "\(server.origin)/small")).error == nil)
      }
      #expect(!stalled.recorder.events.isOver)
      #expect(!server.log.requests.map(\.path).contains("/file"))
      file.release()
      let events = await stalled.recorder.end()
      #expect(events.error == nil)
      #expect(events.body == Data("/file \(data.count)".utf8))
    }

    @Test("a cancel is seen meanwhile, and so is that nothing happens for too long")
    func ends() async throws {
      let server = try LoopbackServer { _ in .text("ok") }
      let file = try LeasedFile(containing: data)
      try #require(file.isLeased)
      let transport = try CurlTransport()
      var request = TransportRequest(method: .put, url: server.origin, body: .file(file.url))
      let cancelled = transport.record(request)
      cancelled.transfer.cancel()
      #expect(await cancelled.recorder.end().error == .cancelled)
      request.idleTimeout = 0.05
      request.reportsMetrics = true
      #expect(await transport.exchange(request).error == .timedOut(.idle, after: 0.05))
      file.release()
      request.idleTimeout = 0
      #expect(await transport.exchange(request).error == nil)
      #expect(server.log.requestCount == 1)
    }
  }
#endif
