import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The store of cached responses", .timeLimit(.minutes(5)))
struct HTTPCacheTests {
  private let folder: TemporaryFolder
  private let server: LoopbackServer

  init() throws {
    folder = try TemporaryFolder()
    server = try LoopbackServer { request in
      .repeating(UInt8(ascii: "a"), count: Int(request.query("n") ?? "") ?? 100).header(
        "Cache-Control", "max-age=9999")
    }
  }

  private func cache(_ memory: Int = 1 << 20, _ disk: Int = 1 << 20) throws -> HTTPCache {
    try HTTPCache(memoryCapacity: memory, diskCapacity: disk, directory: folder.url)
  }

  private func fetch(
    _ cache: HTTPCache, _ path: String, _ policy: TransportRequest.CachePolicy = .useProtocol,
    headers: HTTPHeaders = [:]
  ) async throws -> TransferRecorder.Events {
    var request = TransportRequest(url: server.origin + path, headers: headers)
    request.cachePolicy = policy
    let transport = CachingTransport(try CurlTransport(), cache: cache)
    let events = await transport.exchange(request)
    cache.waitForFiles()
    return events
  }

  private func isStored(_ cache: HTTPCache, _ path: String) async throws -> Bool {
    try await fetch(cache, path, .storedOnly).error == nil
  }

  private var files: [String] { folder.names.filter { $0.hasSuffix(".answer") } }

  @Test("responses persist in files that only their user can read")
  func restart() async throws {
    _ = try await fetch(try cache(), "/a?n=5000")
    #expect(folder.names == files)
    #expect(files.count == 1)
    let path = folder.file(files.first ?? "").path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let reopened = try cache()
    #expect(reopened.currentDiskUsage == attributes[.size] as? Int)
    #expect(reopened.currentMemoryUsage == 0)
    let events = try await fetch(reopened, "/a?n=5000")
    #expect(events.body == Data(repeating: UInt8(ascii: "a"), count: 5_000))
    #expect(events.head?.headers["Age"] != nil)
    #expect(events.head?.httpVersion == .http1_1)
    #expect(reopened.currentMemoryUsage > 5_000)
    #expect(server.log.requestCount == 1)
  }

  @Test(
    "a damaged file is not used, and removed",
    arguments: ["cut", "changed", "empty", "other", "long", "time"])
  func damaged(how: String) async throws {
    _ = try await fetch(try cache(), "/a")
    let file = folder.file(try #require(files.first))
    var data = try Data(contentsOf: file)
    switch how {
    case "cut": data.removeLast()
    case "changed": data[data.count - 1] ^= 1
    case "empty": data = Data()
    case "time": data = try withImpossibleTime(data)
    case "long": data.replaceSubrange(4..<16, with: [UInt8](repeating: 0xFF, count: 12))
    default: data = Data("nothing of ours at all, but long enough to be looked at".utf8)
    }
    try data.write(to: file)
    let cache = try cache()
    #expect(try await !isStored(cache, "/a"))
    #expect(files.isEmpty)
    #expect(cache.currentDiskUsage == 0)
    #expect(try await fetch(cache, "/a").error == nil)
    #expect(files.count == 1)
  }

  @Test("a file whose name stands for two URLs serves only its own URL")
  func sharedName() async throws {
    _ = try await fetch(try cache(), "/a?n=10")
    let own = try #require(files.first)
    _ = try await fetch(try cache(), "/b?n=20")
    let other = try #require(files.first { $0 != own })
    // As if the digests of both URLs were equal.
    try Data(contentsOf: folder.file(own)).write(to: folder.file(other))
    let cache = try cache()
    let refused = try await fetch(cache, "/b?n=20", .storedOnly)
    #expect(refused.error == .notStored(url: server.origin + "/b?n=20"))
    #expect(try await fetch(cache, "/a?n=10", .storedOnly).body.count == 10)
  }

  /// Replaces the time of a response by one that no calendar has; the lengths and the checksum are right.
  private func withImpossibleTime(_ file: Data) throws -> Data {
    let content = String(decoding: file[24...], as: UTF8.self)
    let time = try #require(content.firstMatch(of: /"responseTime":[0-9.e+]+/))
    let key = "\"responseTime\":1e99"
    let padding = String(repeating: " ", count: time.output.count - key.count)
    let changed = content.replacingCharacters(in: time.range, with: key + padding)
    let checksum = changed.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return file[..<16] + withUnsafeBytes(of: checksum.littleEndian) { Data($0) } + Data(changed.utf8)
  }

  @Test("the most recently used responses are kept, in memory and in files, within the capacity")
  func bounded() async throws {
    let cache = try cache(40_000, 40_000)
    for index in 0..<60 {
      _ = try await fetch(cache, "/\(index)?n=2000")
      #expect(cache.currentMemoryUsage <= 40_000)
      #expect(cache.currentDiskUsage <= 40_000)
      #expect(try await isStored(cache, "/0?n=2000"))
    }
    #expect(try await !isStored(cache, "/1?n=2000"))
    #expect(try await isStored(cache, "/59?n=2000"))
    let size = try files.reduce(0) {
      $0 + (try FileManager.default.attributesOfItem(atPath: folder.file($1).path)[.size] as? Int ?? 0)
    }
    #expect(size == cache.currentDiskUsage)
    // A response that was always served from memory still has its file.
    let filesAlone = try self.cache(0, 40_000)
    #expect(try await isStored(filesAlone, "/0?n=2000"))
    #expect(try await !isStored(filesAlone, "/1?n=2000"))
    // A cache with a smaller capacity removes files when it opens the folder.
    #expect(try self.cache(40_000, 10_000).currentDiskUsage <= 10_000)
    #expect(files.count < 10)
  }

  @Test("the most recently used responses are kept in a cache without files")
  func boundedMemory() async throws {
    let cache = try HTTPCache(memoryCapacity: 40_000)
    for index in 0..<60 {
      _ = try await fetch(cache, "/\(index)?n=2000")
      #expect(cache.currentMemoryUsage <= 40_000)
      #expect(try await isStored(cache, "/0?n=2000"))
    }
    #expect(try await !isStored(cache, "/1?n=2000"))
    #expect(try await isStored(cache, "/59?n=2000"))
  }

  @Test("the most recently used responses are kept in a cache that is only in files")
  func boundedFiles() async throws {
    let cache = try cache(0, 40_000)
    for index in 0..<60 {
      _ = try await fetch(cache, "/\(index)?n=2000")
      #expect(cache.currentDiskUsage <= 40_000)
      #expect(try await isStored(cache, "/0?n=2000"))
    }
    #expect(try await !isStored(cache, "/1?n=2000"))
    #expect(try await isStored(cache, "/59?n=2000"))
  }

  @Test("of the files of an earlier process, the oldest are removed first")
  func reopened() async throws {
    _ = try await fetch(try cache(), "/old?n=2000")
    let old = folder.file(try #require(files.first))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: old.path)
    _ = try await fetch(try cache(), "/new?n=2000")
    #expect(files.count == 2)
    let smaller = try cache(1 << 20, 4_000)
    #expect(try await isStored(smaller, "/new?n=2000"))
    #expect(try await !isStored(smaller, "/old?n=2000"))
  }

  @Test("a response larger than a store does not displace its contents", arguments: ["memory", "files"])
  func tooLarge(store: String) async throws {
    let cache = try store == "memory" ? cache(10_000, 1 << 20) : cache(1 << 20, 10_000)
    func usage() -> Int { store == "memory" ? cache.currentMemoryUsage : cache.currentDiskUsage }
    _ = try await fetch(cache, "/a?n=2000")
    let before = usage()
    #expect(before > 2_000)
    #expect(try await fetch(cache, "/b?n=50000").body.count == 50_000)
    #expect(usage() == before)
    #expect(try await isStored(cache, "/b?n=50000"))
  }

  @Test(
    "a response that takes almost all of a store displaces the others, and is kept",
    arguments: ["memory", "files"])
  func almostAll(store: String) async throws {
    let cache = try store == "memory" ? cache(10_000, 1 << 20) : cache(1 << 20, 10_000)
    for path in ["/a?n=2000", "/b?n=9000"] { #expect(try await fetch(cache, path).error == nil) }
    let usage = store == "memory" ? cache.currentMemoryUsage : cache.currentDiskUsage
    #expect((9_001...10_000).contains(usage))
  }

  @Test("a file of an earlier process that exceeds the capacity is removed")
  func smallerCapacity() async throws {
    #expect(try await fetch(try cache(), "/a?n=2000").error == nil)
    #expect(files.count == 1)
    #expect(try cache(0, 2_000).currentDiskUsage == 0)
    #expect(files.isEmpty)
  }

  @Test("a negative capacity counts as none")
  func negativeCapacity() async throws {
    let cache = try cache(-1, -1)
    #expect(cache.memoryCapacity == 0)
    #expect(cache.diskCapacity == 0)
    #expect(try await fetch(cache, "/a").body.count == 100)
    #expect(try await !isStored(cache, "/a"))
  }

  @Test("personal responses are stored only in memory")
  func personal() async throws {
    let cache = try cache()
    #expect(try await fetch(cache, "/a", headers: ["Authorization": "secret"]).error == nil)
    #expect(cache.currentMemoryUsage > 0)
    #expect(folder.names.isEmpty)
    let again = try await fetch(cache, "/a", headers: ["Authorization": "secret"])
    #expect(again.head?.headers["Age"] != nil)
    let transport = CachingTransport(try CurlTransport(), cache: cache)
    let url = server.origin.replacingOccurrences(of: "//", with: "//me:secret@") + "/b"
    for _ in 0..<2 { #expect(await transport.exchange(TransportRequest(url: url)).error == nil) }
    #expect(folder.names.isEmpty)
  }

  @Test("a response that depends on cookies is stored only in memory if the request had any")
  func cookies() async throws {
    server.route("/mine") { _ in .text("x").header("Vary", "Cookie").header("Cache-Control", "max-age=9999") }
    let cache = try cache()
    #expect(try await fetch(cache, "/mine", headers: ["Cookie": "a=b"]).error == nil)
    #expect(cache.currentMemoryUsage > 0)
    #expect(folder.names.isEmpty)
    #expect(try await fetch(cache, "/mine").error == nil)
    #expect(files.count == 1)
  }

  @Test(
    "a response that depends on a field which may be secret is stored only in memory",
    arguments: [
      ("X-Api-Key", false), ("x-token", false), ("Accept-Language", true), ("User-Agent", true),
      ("Sec-CH-UA", true), ("Origin", true), ("Save-Data", true), ("X-Requested-With", true),
      ("Host", true), ("Sec-Fetch-Mode", true), ("Access-Control-Request-Method", true),
    ])
  func secretFields(name: String, isHarmless: Bool) async throws {
    server.route("/vary") { _ in .text("x").header("Vary", name).header("Cache-Control", "max-age=9999") }
    let cache = try cache()
    #expect(try await fetch(cache, "/vary", headers: [name: "value"]).error == nil)
    #expect(try await fetch(cache, "/vary", .storedOnly, headers: [name: "value"]).error == nil)
    #expect(files.count == (isHarmless ? 1 : 0))
  }

  @Test("the responses to an empty field and to a missing one have files of their own")
  func emptyField() async throws {
    let wire = ScriptedTransport {
      $0.respond(headers: ["Vary": "Accept-Language", "Cache-Control": "max-age=9999"], "x")
    }
    let cache = try cache()
    let transport = CachingTransport(wire, cache: cache)
    for headers in [["Accept-Language": ""], [:]] as [HTTPHeaders] {
      #expect(await transport.exchange(.init(url: "http://h/", headers: headers)).error == nil)
    }
    cache.waitForFiles()
    #expect(wire.transfers.count == 2)
    #expect(files.count == 2)
  }

  @Test("a response to a URL with a secret parameter is stored only in memory")
  func secretParameter() async throws {
    let cache = try cache()
    #expect(try await fetch(cache, "/a?access_token=value").error == nil)
    #expect(try await fetch(cache, "/a?access_token=value", .storedOnly).error == nil)
    #expect(files.isEmpty)
    #expect(try await fetch(cache, "/a?n=10").error == nil)
    #expect(files.count == 1)
  }

  @Test("another cache with the same folder finds a response that has just been received")
  func justReceived() async throws {
    let first = CachingTransport(try CurlTransport(), cache: try cache(0, 1 << 28))
    var request = TransportRequest(url: "\(server.origin)/a?n=1000000")
    #expect(await first.exchange(request).error == nil)
    request.cachePolicy = .storedOnly
    let second = CachingTransport(try CurlTransport(), cache: try cache(1 << 28, 1 << 28))
    #expect(await second.exchange(request).body.count == 1_000_000)
  }

  @Test("a response replaces the previous one, and the newest eight variants are kept")
  func variants() async throws {
    server.route("/vary") { _ in
      .text("x").header("Vary", "Accept-Language").header("Cache-Control", "max-age=9999")
    }
    let cache = try HTTPCache()
    _ = try await fetch(cache, "/a")
    let usage = cache.currentMemoryUsage
    for _ in 0..<3 { _ = try await fetch(cache, "/a", .reload) }
    #expect(cache.currentMemoryUsage == usage)
    for language in 0..<12 {
      _ = try await fetch(cache, "/vary", headers: ["Accept-Language": "\(language)"])
    }
    var stored: [Int] = []
    for language in 0..<12 {
      let headers: HTTPHeaders = ["Accept-Language": "\(language)"]
      if try await fetch(cache, "/vary", .storedOnly, headers: headers).error == nil {
        stored.append(language)
      }
    }
    #expect(stored == Array(4..<12))
  }

  @Test("of variants that do not fit into memory together, the newest are kept; one too large displaces none")
  func largeVariants() async throws {
    let wire = ScriptedTransport { transfer in
      let count = transfer.request.headers["X-Key"] == "5" ? 50_000 : 3_000
      transfer.respond(
        headers: ["Vary": "X-Key", "Cache-Control": "max-age=9999"], String(repeating: "a", count: count))
    }
    // With the field, which may be secret, responses are stored only in memory.
    let cache = try cache(10_000)
    let transport = CachingTransport(wire, cache: cache)
    let keys = ["1", "2", "3", "4", "5"]
    for key in keys {
      #expect(await transport.exchange(.init(url: "http://h/", headers: ["X-Key": key])).error == nil)
      #expect(cache.currentMemoryUsage <= 10_000)
    }
    var stored: [String] = []
    for key in keys {
      var request = TransportRequest(url: "http://h/", headers: ["X-Key": key])
      request.cachePolicy = .storedOnly
      if await transport.exchange(request).error == nil { stored.append(key) }
    }
    #expect(stored == ["3", "4"])
  }

  @Test("older variants that are read from files do not replace the newest eight in memory")
  func olderVariants() async throws {
    server.route("/vary") { _ in
      .text("x").header("Vary", "Accept-Language").header("Cache-Control", "max-age=9999")
    }
    let cache = try cache()
    func fetch(_ language: Int, _ policy: TransportRequest.CachePolicy) async throws -> Bool {
      try await self.fetch(cache, "/vary", policy, headers: ["Accept-Language": "\(language)"]).error == nil
    }
    for language in 0..<12 { _ = try await fetch(language, .useProtocol) }
    #expect(try await fetch(1, .storedOnly))
    for file in files { try FileManager.default.removeItem(at: folder.file(file)) }
    for language in 4..<12 { #expect(try await fetch(language, .storedOnly)) }
    #expect(try await !fetch(0, .storedOnly))
  }

  // In a process of its own, because the limit applies to all of it.
  @Test("a file that cannot be opened for want of descriptors is used later")
  func unreadable() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let scripted = ScriptedTransport { $0.respond(headers: ["Cache-Control": "max-age=9999"]) }
      func error(_ cache: HTTPCache, _ policy: TransportRequest.CachePolicy) async -> TransferError? {
        var request = TransportRequest(url: "http://h/")
        request.cachePolicy = policy
        return await CachingTransport(scripted, cache: cache).exchange(request).error
      }
      let first = try HTTPCache(directory: folder.url)
      try #require(await error(first, .useProtocol) == nil)
      first.waitForFiles()
      let cache = try HTTPCache(directory: folder.url)
      var limit = rlimit()
      getrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit)
      let former = limit
      limit.rlim_cur = 0
      setrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit)
      let missing = await error(cache, .storedOnly)
      limit = former
      setrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit)
      try #require(missing == .notStored(url: "http://h/"))
      try #require(await error(cache, .storedOnly) == nil)
    }
  }

  @Test(
    "a file that another user could have put there is not used, and removed",
    // Only the superuser can give a file away.
    arguments: ["link", "large", "mode"] + (geteuid() == 0 ? ["owner"] : []))
  func foreign(how: String) async throws {
    _ = try await fetch(try cache(), "/a")
    let file = folder.file(try #require(files.first))
    let cache = try cache()
    switch how {
    case "link":
      let target = folder.file("target")
      try FileManager.default.moveItem(at: file, to: target)
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    case "owner": chown(file.path, 1, 1)
    case "mode": chmod(file.path, 0o620)
    default: truncate(file.path, off_t(1) << 40)
    }
    #expect(try await !isStored(cache, "/a"))
    #expect(files.isEmpty)
  }

  @Test("a response can be removed by the spelling of its URL that was requested")
  func forgetInternational() async throws {
    let cache = try cache()
    _ = try await fetch(cache, "/é")
    cache.removeCachedResponse(for: "\(server.origin)/é")
    #expect(try await !isStored(cache, "/é"))
  }

  @Test("one response or all can be removed")
  func forget() async throws {
    let cache = try cache()
    for path in ["/a", "/b", "/c"] { _ = try await fetch(cache, path) }
    cache.removeCachedResponse(for: "\(server.origin)/a#part")
    #expect(try await !isStored(cache, "/a"))
    #expect(try await isStored(cache, "/b"))
    cache.removeAllCachedResponses()
    #expect(try await !isStored(cache, "/b"))
    #expect((cache.currentMemoryUsage, cache.currentDiskUsage) == (0, 0))
    #expect(folder.names.isEmpty)
  }

  @Test("incomplete files of an earlier process are removed, and foreign files are kept")
  func leftovers() async throws {
    // The second file is one of an earlier version, in which Foundation wrote the files. A file that another
    // process has been writing for less than an hour is kept.
    for (name, age) in [("x.part", 7_200), (".dat.nosync0a1b.c2d3e4", 7_200), ("z.part", 3_000)] {
      let old = try folder.file(name, containing: Data("half".utf8))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -TimeInterval(age))], ofItemAtPath: old.path)
    }
    _ = try folder.file("y.part", containing: Data("being written".utf8))
    _ = try folder.file("notes.txt", containing: Data("mine".utf8))
    let cache = try cache()
    #expect(folder.names == ["notes.txt", "y.part", "z.part"])
    cache.removeAllCachedResponses()
    #expect(folder.names == ["notes.txt", "y.part", "z.part"])
  }

  @Test("the error for an unusable folder names it")
  func unusable() throws {
    let file = try folder.file("file", containing: Data())
    let error = #expect(throws: HTTPCacheError.self) { try HTTPCache(directory: file) }
    #expect(error?.path == file.path)
    #expect(error?.localizedDescription.contains(file.path) == true)
  }

  @Test("other users lose the permission to write to the folder")
  func openFolder() throws {
    chmod(folder.url.path, 0o777)
    _ = try cache()
    #expect(
      try FileManager.default.attributesOfItem(atPath: folder.url.path)[.posixPermissions] as? Int == 0o755)
  }

  @Test("the folder of another user is refused", .enabled(if: geteuid() == 0))
  func foreignFolder() throws {
    chown(folder.url.path, 1, 1)
    let error = #expect(throws: HTTPCacheError.self) { try cache() }
    #expect(error?.reason == "it belongs to another user")
  }

  @Test("if the folder is removed during use, only its contents are lost")
  func vanished() async throws {
    let cache = try cache(0)
    _ = try await fetch(cache, "/a")
    try FileManager.default.removeItem(at: folder.url)
    #expect(try await !isStored(cache, "/a"))
    #expect(try await fetch(cache, "/a").error == nil)
    #expect(cache.currentDiskUsage == 0)
  }
}
