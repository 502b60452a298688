import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Requests that wait for a cache", .timeLimit(.minutes(5)))
struct CacheWaitingTests {
  private let folder: TemporaryFolder
  private let server: LoopbackServer

  init() throws {
    folder = try TemporaryFolder()
    server = try LoopbackServer { .text($0.path).header("Cache-Control", "max-age=9999") }
  }

  private func cache(_ memory: Int = 1 << 20) throws -> HTTPCache {
    try HTTPCache(memoryCapacity: memory, directory: folder.url)
  }

  private func fetch(_ transport: any Transport, _ path: String) async -> TransferRecorder.Events {
    await transport.exchange(.init(url: server.origin + path))
  }

  private var files: [String] { folder.names.filter { $0.hasSuffix(".answer") } }

  @Test("the file of a response is written, and removed if the response is invalidated")
  func written() async throws {
    server.route("POST", "/a") { _ in .text("changed") }
    let cache = try cache(0)
    let transport = CachingTransport(try CurlTransport(), cache: cache)
    for count in 1...5 {
      #expect(await fetch(transport, "/a").error == nil)
      cache.waitForFiles()
      #expect(files.count == 1)
      #expect(await transport.exchange(.init(method: .post, url: "\(server.origin)/a")).error == nil)
      #expect(await fetch(transport, "/a").head?.headers["Age"] == nil)
      #expect(server.log.requests.count { $0.method == "GET" } == 2 * count)
      cache.removeCachedResponse(for: "\(server.origin)/a")
      #expect(files.isEmpty)
    }
  }

  /// The cache's folder in a process that exits.
  private static let leftFolder = Lock<TemporaryFolder?>(nil)

  @Test("a process that exits right after responses leaves them in the cache's folder")
  func exits() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let folder = try TemporaryFolder()
      CacheWaitingTests.leftFolder.withLock { $0 = folder }
      // Runs after the cache's own, which is registered later.
      atexit {
        let names = CacheWaitingTests.leftFolder.withLock { $0?.names } ?? []
        _exit(names.count { $0.hasSuffix(".answer") } == 5 ? 7 : 8)
      }
      let server = try LoopbackServer { _ in
        .repeating(UInt8(ascii: "a"), count: 30_000).header("Cache-Control", "max-age=9999")
      }
      let transport = CachingTransport(try CurlTransport(), cache: try HTTPCache(directory: folder.url))
      // Together, so that some files are still to be written.
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<5 {
          group.addTask {
            if await transport.exchange(.init(url: "\(server.origin)/\(number)")).error != nil { exit(1) }
          }
        }
      }
      exit(0)
    }
  }

  @Test("a process that exits right after a change leaves no response from before it")
  func exitsAfterChange() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let folder = try TemporaryFolder()
      CacheWaitingTests.leftFolder.withLock { $0 = folder }
      atexit {
        let names = CacheWaitingTests.leftFolder.withLock { $0?.names } ?? []
        _exit(names.contains { $0.hasSuffix(".answer") } ? 8 : 7)
      }
      let server = try LoopbackServer { _ in
        .repeating(UInt8(ascii: "a"), count: 30_000).header("Cache-Control", "max-age=9999")
      }
      let transport = CachingTransport(try CurlTransport(), cache: try HTTPCache(directory: folder.url))
      for number in 0..<20 {
        let url = "\(server.origin)/\(number)"
        guard await transport.exchange(.init(url: url)).error == nil,
          await transport.exchange(.init(method: .post, url: url)).error == nil
        else { exit(1) }
      }
      exit(0)
    }
  }

  @Test("a fresh response in memory is used without reading its file")
  func memory() async throws {
    let cache = try cache()
    let transport = CachingTransport(try CurlTransport(), cache: cache)
    #expect(await fetch(transport, "/a").error == nil)
    cache.waitForFiles()
    // Reading this file would remove it.
    let file = folder.file(try #require(files.first))
    try Data("damaged".utf8).write(to: file)
    #expect(await fetch(transport, "/a").head?.headers["Age"] != nil)
    #expect(try Data(contentsOf: file) == Data("damaged".utf8))
    #expect(server.log.requestCount == 1)
  }

  @Test("a pipe in place of a file is not used as a response, and blocks no request")
  func pipe() async throws {
    let cache = try cache()
    let first = CachingTransport(try CurlTransport(), cache: cache)
    #expect(await fetch(first, "/a").error == nil)
    cache.waitForFiles()
    let file = folder.file(try #require(files.first))
    let second = CachingTransport(try CurlTransport(), cache: try self.cache())
    try FileManager.default.removeItem(at: file)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(await fetch(second, "/a").head?.headers["Age"] == nil)
    #expect(await fetch(second, "/a").head?.headers["Age"] != nil)
    #expect(server.log.requestCount == 2)
  }

  @Test("a handler that blocks at the end of a written response blocks no other request")
  func end() async throws {
    let transport = CachingTransport(try CurlTransport(), cache: try cache(0))
    let gate = DispatchSemaphore(value: 0)
    let blocked = TransferRecorder(keeping: transport)
    _ = transport.start(.init(url: "\(server.origin)/a")) { event in
      blocked.record(event)
      if case .finished = event { gate.wait() }
    }
    await blocked.waitForEnd()
    for path in ["/a", "/b", "/a", "/b"] { #expect(await fetch(transport, path).body == Data(path.utf8)) }
    #expect(server.log.requestCount == 2)
    gate.signal()
  }

  @Test("handlers of cached responses that block do not block other requests")
  func handlers() async throws {
    let transport = CachingTransport(try CurlTransport(), cache: try cache())
    for path in ["/a", "/b"] { #expect(await fetch(transport, path).error == nil) }
    let gate = DispatchSemaphore(value: 0)
    let blocked = (0..<8).map { _ in TransferRecorder(keeping: transport) }
    for recorder in blocked {
      _ = transport.start(.init(url: "\(server.origin)/a")) { event in
        if case .head = event { gate.wait() }
        recorder.record(event)
      }
    }
    for _ in 0..<3 {
      #expect(await fetch(transport, "/b").head?.headers["Age"] != nil)
      #expect(await fetch(transport, "/a").head?.headers["Age"] != nil)
    }
    #expect(await fetch(transport, "/c").error == nil)
    #expect(blocked.allSatisfy { $0.events.heads == 0 })
    for _ in blocked { gate.signal() }
    for recorder in blocked { #expect(await recorder.waitForEnd().body == Data("/a".utf8)) }
  }

  @Test("the number of threads for blocked handlers of cached responses is limited")
  func threads() async throws {
    let transport = CachingTransport(try CurlTransport(), cache: try cache())
    #expect(await fetch(transport, "/a").error == nil)
    let gate = DispatchSemaphore(value: 0)
    let called = Lock(0)
    let blocked = (0..<CallbackPool.threadLimit + 6).map { _ in TransferRecorder(keeping: transport) }
    for recorder in blocked {
      _ = transport.start(.init(url: "\(server.origin)/a")) { event in
        recorder.record(event)
        guard case .head = event else { return }
        called.withLock { $0 += 1 }
        gate.wait()
      }
    }
    for recorder in blocked.prefix(CallbackPool.threadLimit) { await recorder.waitUntil { $0.heads > 0 } }
    // Requests that are not stored continue, for longer than another thread would take to start.
    var request = TransportRequest(method: .post, url: "\(server.origin)/b")
    request.body = .data(Data(count: 100_000))
    for _ in 0..<50 { #expect(await transport.exchange(request).error == nil) }
    #expect(called.withLock { $0 } == CallbackPool.threadLimit)
    for _ in blocked { gate.signal() }
    for recorder in blocked { #expect(await recorder.waitForEnd().error == nil) }
  }

  @Test("the events of each of many concurrent responses arrive in order")
  func order() async throws {
    let transport = CachingTransport(try CurlTransport(), cache: try cache())
    #expect(await fetch(transport, "/a").error == nil)
    let started = (0..<3_000).map { _ in transport.record(.init(url: "\(server.origin)/a")) }
    for item in started {
      let events = await item.recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("/a".utf8))
    }
    #expect(server.log.requestCount == 1)
  }
}
