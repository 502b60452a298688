import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if os(Linux)
  @Suite(
    "Body files whose opening blocks", .timeLimit(.minutes(5)),
    .enabled(if: StalledFile.isPossible, "the file system of temporary files has no leases"))
  struct StalledFileTests {
    private let data = Data(Data.megabyte)

    @Test("while the opening of a file blocks, other requests continue, and its body is sent once it is open")
    func stalled() async throws {
      let server = try LoopbackServer { .text("\($0.path) \($0.bodyLength)") }
      let file = try StalledFile(containing: data)
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
      let events = await stalled.recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("/file \(data.count)".utf8))
    }

    @Test("while the opening of a file blocks, a cancellation and the idle timeout take effect")
    func ends() async throws {
      let server = try LoopbackServer { _ in .text("ok") }
      let file = try StalledFile(containing: data)
      try #require(file.isLeased)
      let transport = try CurlTransport()
      var request = TransportRequest(method: .put, url: server.origin, body: .file(file.url))
      let cancelled = transport.record(request)
      cancelled.transfer.cancel()
      #expect(await cancelled.recorder.waitForEnd().error == .cancelled)
      request.idleTimeout = .milliseconds(50)
      request.reportsMetrics = true
      #expect(
        await transport.exchange(request).error == .timedOut(.idle, after: .milliseconds(50), isUnsent: true))
      file.release()
      request.idleTimeout = .zero
      #expect(await transport.exchange(request).error == nil)
      #expect(server.log.requestCount == 1)
    }

    /// Returns a target with a file in a form.
    private func form(_ file: StalledFile, to server: LoopbackServer) -> LoopbackTarget {
      LoopbackTarget(server, "/form").with {
        $0.method = .post
        $0.task = .uploadMultipartFormData([
          MultipartFormBodyPart(provider: .data(Data("before".utf8)), name: "text"),
          MultipartFormBodyPart(provider: .file(file.url), name: "file"),
        ])
      }
    }

    @Test(
      "opening a file of a form blocks no other request, even if a completion on the transport's thread sends it"
    )
    func form() async throws {
      let server = try LoopbackServer { .text("\($0.path) \($0.headers["Content-Length"] ?? "-")") }
      let file = try StalledFile(containing: data)
      try #require(file.isLeased)
      let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
      let (outcome, ending, started) = (CompletionRecorder(), CompletionStream(), CompletionStream())
      let target = form(file, to: server)
      provider.request(LoopbackTarget(server, "/first"), callbackQueue: .transport) { result in
        provider.request(target) {
          outcome.completion($0)
          ending.completion($0)
        }
        started.completion(result)
      }
      #expect(await started.next().summary == "200")
      for _ in 0..<20 { #expect(await provider.result(LoopbackTarget(server, "/small")).summary == "200") }
      #expect(outcome.count == 0)
      #expect(!server.log.requests.map(\.path).contains("/form"))
      file.release()
      #expect(await ending.next().summary == "200")
      let request = try #require(server.log.requests.last { $0.path == "/form" })
      #expect(request.headers["Content-Length"] == "\(request.bodyLength)")
      #expect(request.bodyLength > data.count)
    }

    @Test("a form whose file cannot be opened ends with a cancellation or its idle timeout")
    func formEnds() async throws {
      let server = try LoopbackServer { _ in .text("ok") }
      let file = try StalledFile(containing: data)
      try #require(file.isLeased)
      let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
      let target = form(file, to: server)
      let ending = CompletionStream()
      let token = provider.request(target, completion: ending.completion)
      token.cancel()
      #expect(await ending.next().summary == "cancelled")
      let hasty = NetworkProvider<LoopbackTarget>(
        requestClosure: { endpoint, done in
          done(
            Result { try endpoint.urlRequest() }
              .map { request in
                var request = request
                request.timeoutInterval = 0.05
                return request
              }
              .mapError { .underlying($0, nil) })
        }, transport: try CurlTransport())
      #expect(
        await hasty.result(target).summary
          == "\(TransferError.timedOut(.idle, after: .milliseconds(50), isUnsent: true))")
      file.release()
      #expect(await provider.result(target).summary == "200")
      #expect(server.log.requestCount == 1)
    }

    @Test(
      "more files than the limit block no dispatch queue of the process, and are opened later")
    func many() async {
      // In a separate process, because the files of other tests would have to wait as well.
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .text("ok") }
        let file = try StalledFile(containing: Data("x".utf8))
        try #require(file.isLeased)
        let transport = try CurlTransport()
        let stalled = (0..<300).map { _ in
          transport.record(.init(method: .put, url: server.origin, body: .file(file.url)))
        }
        // All files have been requested, because the transport's thread processes requests in order.
        #expect(await transport.exchange(.init(url: server.origin)).error == nil)
        let queues = DispatchGroup()
        for number in 0..<20 { DispatchQueue(label: "other \(number)").async(group: queues) {} }
        await withCheckedContinuation { done in
          queues.notify(queue: DispatchQueue(label: "last")) { done.resume() }
        }
        // If the queues had to wait for a file, it would be sent now.
        for _ in 0..<20 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
        #expect(!server.log.requests.contains { $0.method == "PUT" })
        // These requests are waiting for their turn.
        for item in stalled.suffix(100) { item.transfer.cancel() }
        for item in stalled.suffix(100) { #expect(await item.recorder.waitForEnd().error == .cancelled) }
        file.release()
        for item in stalled.prefix(200) { #expect(await item.recorder.waitForEnd().error == nil) }
        #expect(server.log.requestCount == 221)
      }
    }
  }
#endif
