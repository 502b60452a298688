import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Resumable downloads", .timeLimit(.minutes(5)))
struct ResumableDownloadTests {
  private let folder: TemporaryFolder
  private let body = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) })

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Responds to the first request with 4,000 bytes of the body, and to the others with `later`.
  private func server(
    _ fields: [(String, String)],
    later: @escaping @Sendable (LoopbackServer.Request, Data) -> LoopbackServer.Reply = Self.range
  ) throws -> LoopbackServer {
    let body = body
    let count = Lock(0)
    return try LoopbackServer { request in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      let reply: LoopbackServer.Reply = isFirst ? .bytes(body).truncated(after: 4_000) : later(request, body)
      return fields.reduce(reply) { $0.header($1.0, $1.1) }
    }
  }

  private static func range(_ request: LoopbackServer.Request, _ body: Data) -> LoopbackServer.Reply {
    guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
      return .bytes(body)
    }
    return part(body, from: start)
  }

  private static func part(_ body: Data, from start: Int, said: String? = nil) -> LoopbackServer.Reply {
    .bytes(body[start...], status: 206)
      .header("Content-Range", said ?? "bytes \(start)-\(body.count - 1)/\(body.count)")
  }

  private func target(_ server: LoopbackServer, _ options: DownloadOptions = []) -> LoopbackTarget {
    LoopbackTarget(server).with { $0.task = .downloadResumable(to: folder.file(), options: options) }
  }

  private var content: Data? { try? Data(contentsOf: folder.file()) }

  static let validators: [[(String, String)]] = [
    [("ETag", "\"v1\"")],
    [("Last-Modified", "Tue, 15 Nov 1994 12:45:26 GMT"), ("Date", "Tue, 15 Nov 1994 12:46:00 GMT")],
    [("ETag", "\"v1\""), ("Last-Modified", "Tue, 15 Nov 1994 12:45:26 GMT")],
  ]

  @Test(
    "only the missing part is requested, if the content is the same",
    arguments: validators.indices, TransportKind.allCases)
  func resumes(fields: Int, kind: TransportKind) async throws {
    let fields = Self.validators[fields]
    let server = try server(fields)
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let first = await provider.result(target(server))
    #expect(throws: NetworkError.self) { try first.get() }
    // libcurl keeps the bytes that arrived before the end; URLSession may drop some.
    let kept = try #require(try? Data(contentsOf: folder.file("file.part"))).count
    #expect(kept > 0 && kept <= 4_000)
    #expect(folder.names == ["file.part", "file.part.json"])
    let progress = Lock([ProgressResponse]())
    let ending = CompletionStream()
    provider.request(
      target(server), progress: { item in progress.withLock { $0.append(item) } },
      completion: ending.completion)
    let response = try await ending.next().get()
    #expect(response.statusCode == 206)
    #expect(response.fileURL == folder.file())
    #expect(content == body)
    #expect(folder.names == ["file"])
    let request = try #require(server.log.requests.last)
    #expect(request.headers["Range"] == "bytes=\(kept)-")
    #expect(request.headers["If-Range"] == fields[0].1)
    #expect(request.headers["Accept-Encoding"] == "identity")
    let all = progress.withLock { $0 }
    #expect(all.allSatisfy { $0.totalUnitCount == 10_000 && $0.completedUnitCount > kept })
    #expect(all.last?.completedUnitCount == 10_000)
  }

  @Test(
    "nothing is kept without a strong validator",
    arguments: [
      [], [("ETag", "W/\"v1\"")],
      [
        ("Last-Modified", "Tue, 15 Nov 1994 12:45:26 GMT"), ("Date", "Tue, 15 Nov 1994 12:45:26 GMT"),
      ],
      [("ETag", "\"v1\""), ("Accept-Ranges", "none")],
    ] as [[(String, String)]])
  func weak(fields: [(String, String)]) async throws {
    let server = try server(fields)
    let provider = NetworkProvider<LoopbackTarget>()
    let first = await provider.result(target(server))
    #expect(throws: NetworkError.self) { try first.get() }
    #expect(folder.names.isEmpty)
    #expect(try await provider.result(target(server)).get().statusCode == 200)
    #expect(server.log.requests.last?.headers["Range"] == nil)
    #expect(content == body)
    #expect(folder.names == ["file"])
  }

  @Test("content that has changed is sent whole, and the partial file is dropped")
  func changed() async throws {
    let new = Data("new content".utf8)
    let server = try server([]) { _, _ in .bytes(new).header("ETag", "\"v2\"") }
    server.route("/") { _ in .status(500) }
    let old = try self.server([("ETag", "\"v1\"")]) { _, _ in .bytes(new) }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(old))
    #expect(folder.names == ["file.part", "file.part.json"])
    #expect(try await provider.result(target(old)).get().statusCode == 200)
    #expect(content == new)
    #expect(folder.names == ["file"])
  }

  @Test(
    "a range that was not requested is an error, and the next attempt starts from the beginning",
    arguments: [
      "bytes 3999-9999/10000", "bytes 4000-9999/10001", "bytes 0-9999/10000", "bytes */10000",
      "items 4000-9999/10000",
      "bytes 4000-10000/10000", "bytes 9999-4000/10000", "nonsense", "bytes -9999/10000",
      "bytes +4000-9999/10000", nil,
    ])
  func wrongRange(said: String?) async throws {
    let server = try server([("ETag", "\"v1\"")]) { request, body in
      guard request.headers["Range"] != nil else { return .bytes(body) }
      guard let said else { return .bytes(body[4_000...], status: 206) }
      return Self.part(body, from: 4_000, said: said)
    }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    let second = await provider.result(target(server))
    #expect(second.downloadError == .wrongRange(asked: "bytes=4000-", received: said))
    #expect(folder.names.isEmpty)
    #expect(try await provider.result(target(server)).get().statusCode == 200)
    #expect(content == body)
  }

  @Test("a part of other content is an error")
  func otherTag() async throws {
    let tags = Lock(["\"v2\"", "\"v1\""])
    let body = body
    let server = try LoopbackServer { request in
      let tag = tags.withLock { $0.popLast() } ?? "\"v2\""
      let reply: LoopbackServer.Reply =
        request.headers["Range"] == nil ? .bytes(body).truncated(after: 4_000) : Self.part(body, from: 4_000)
      return reply.header("ETag", tag)
    }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    #expect(
      await provider.result(target(server)).downloadError
        == .wrongRange(asked: "bytes=4000-", received: "bytes 4000-9999/10000"))
    #expect(folder.names.isEmpty)
  }

  @Test("an incomplete rest is an error, and the next attempt resumes after it")
  func shortRest() async throws {
    let server = try server([("ETag", "\"v1\"")]) { request, body in
      guard request.headers["Range"] == "bytes=4000-" else { return Self.range(request, body) }
      return .bytes(body[4_000..<5_000], status: 206).header("Content-Range", "bytes 4000-4999/10000")
    }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    let second = await provider.result(target(server))
    guard case .failure(let error) = second, case .truncatedBody? = error.transferError else {
      Issue.record("\(second)")
      return
    }
    #expect(content == nil)
    _ = try await provider.result(target(server)).get()
    #expect(server.log.requests.last?.headers["Range"] == "bytes=5000-")
    #expect(content == body)
  }

  @Test("a 416 completes a file of which nothing is missing")
  func complete() async throws {
    let body = body
    let server = try LoopbackServer { request in
      guard let range = request.headers["Range"] else {
        return .bytes(body).chunked(size: 10_000).truncated(after: 10_000).header("ETag", "\"v1\"")
      }
      return range == "bytes=10000-"
        ? .text("nothing", status: 416).header("Content-Range", "bytes */10000") : .status(500)
    }
    let provider = NetworkProvider<LoopbackTarget>()
    let first = await provider.result(target(server))
    #expect(throws: NetworkError.self) { try first.get() }
    let response = try await provider.result(
      target(server).with { $0.validationType = .successCodes }
    ).get()
    #expect(response.statusCode == 206)
    #expect(content == body)
    #expect(folder.names == ["file"])
  }

  @Test("a 416 for a file of another length is an error, and the next attempt starts from the beginning")
  func otherLength() async throws {
    let server = try server([("ETag", "\"v1\"")]) { _, _ in
      .status(416).header("Content-Range", "bytes */3000")
    }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    #expect(
      await provider.result(target(server)).downloadError
        == .wrongRange(asked: "bytes=4000-", received: "bytes */3000"))
    #expect(folder.names.isEmpty)
  }

  @Test(
    "a 416 does not complete content that was announced to be longer or has changed",
    arguments: ["length", "tag"])
  func shrunk(what: String) async throws {
    let body = body
    let server = try LoopbackServer { request in
      guard request.headers["Range"] != nil else {
        let reply = LoopbackServer.Reply.bytes(body).header("ETag", "\"v1\"")
        return what == "length"
          ? reply.truncated(after: 4_000) : reply.chunked(size: 4_000).truncated(after: 4_000)
      }
      return .status(416).header("Content-Range", "bytes */4000").header(
        "ETag", what == "tag" ? "\"v2\"" : "\"v1\"")
    }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    #expect(folder.names == ["file.part", "file.part.json"])
    #expect(
      await provider.result(target(server)).downloadError
        == .wrongRange(asked: "bytes=4000-", received: "bytes */4000"))
    #expect(folder.names.isEmpty)
  }

  @Test("more bytes than the rest are an error as soon as they arrive, and nothing is kept")
  func longRest() async throws {
    let server = try server([("ETag", "\"v1\"")]) { request, body in
      guard request.headers["Range"] != nil else { return .bytes(body) }
      return .bytes(Data(repeating: 1, count: 1 << 26), status: 206).header(
        "Content-Range", "bytes 4000-9999/10000")
    }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    #expect(
      await provider.result(target(server)).downloadError
        == .wrongRange(asked: "bytes=4000-", received: "bytes 4000-9999/10000"))
    #expect(folder.names.isEmpty)
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("a part of a whole whose size is unknown is refused, and the next download starts over")
  func unknownWhole() async throws {
    let body = body
    let server = try LoopbackServer { request in
      let reply: LoopbackServer.Reply =
        request.headers["Range"] == nil
        ? .bytes(body).chunked(size: 4_000).truncated(after: 4_000)
        : .bytes(body[4_000..<7_000], status: 206).header("Content-Range", "bytes 4000-6999/*")
      return reply.header("ETag", "\"v1\"")
    }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    #expect(folder.names == ["file.part", "file.part.json"])
    #expect(
      await provider.result(target(server)).downloadError
        == .wrongRange(asked: "bytes=4000-", received: "bytes 4000-6999/*"))
    #expect(folder.names.isEmpty)
  }

  @Test("a download with an ETag that cannot be sent starts from the beginning")
  func unsendable() async throws {
    let server = try server([("ETag", "\"a\u{1}\"")])
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    #expect(try await provider.result(target(server)).get().statusCode == 200)
    #expect(content == body)
  }

  @Test(
    "a partial file that was removed or replaced meanwhile does not become the file",
    arguments: [true, false])
  func replaced(isReplaced: Bool) async throws {
    let gate = LoopbackServer.Gate()
    let body = body
    let server = try LoopbackServer { _ in
      .bytes(body).header("ETag", "\"v1\"").bodyHeld(until: gate, after: 4_000)
    }
    let (events, event) = AsyncStream.makeStream(of: Void.self)
    let ending = CompletionStream()
    let provider = NetworkProvider<LoopbackTarget>()
    provider.request(target(server), progress: { _ in event.yield() }, completion: ending.completion)
    for await _ in events { break }
    try FileManager.default.removeItem(at: folder.file("file.part"))
    if isReplaced { _ = try folder.file("file.part", containing: Data("of another".utf8)) }
    gate.open()
    guard case .cannotWrite(folder.file("file.part").path, _)? = await ending.next().downloadError else {
      Issue.record("it was written")
      return
    }
    #expect(content == nil)
  }

  @Test("a pipe in place of the partial file is refused without waiting for a reader")
  func pipe() async throws {
    let path = folder.file("file.part").path
    #expect(mkfifo(path, 0o600) == 0)
    let server = try server([])
    guard
      case .cannotWrite(path, _)? = await NetworkProvider<LoopbackTarget>().result(target(server))
        .downloadError
    else {
      Issue.record("it was written to")
      return
    }
  }

  @Test("a bad status keeps the partial file")
  func badStatus() async throws {
    let server = try server([("ETag", "\"v1\"")]) { _, _ in .text("later", status: 503) }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    let response = try await provider.result(target(server)).get()
    #expect(response.statusCode == 503)
    #expect(response.data == Data("later".utf8))
    #expect(folder.names == ["file.part", "file.part.json"])
  }

  @Test("a cancelled download can be resumed at once")
  func cancelled() async throws {
    let body = body
    let server = try LoopbackServer { request in
      let reply: LoopbackServer.Reply =
        request.headers["Range"] == nil
        ? .bytes(body).bodyHeld(until: .init(), after: 4_000) : Self.range(request, body)
      return reply.header("ETag", "\"v1\"")
    }
    let provider = NetworkProvider<LoopbackTarget>()
    let ending = CompletionStream()
    let (events, event) = AsyncStream.makeStream(of: Void.self)
    let token = provider.request(
      target(server), progress: { _ in event.yield() }, completion: ending.completion)
    for await _ in events { break }
    #expect(
      await provider.result(target(server)).downloadError == .inUse(path: folder.file("file.part").path))
    token.cancel()
    #expect(await ending.next().summary == "cancelled")
    #expect(try await provider.result(target(server)).get().statusCode == 206)
    #expect(content == body)
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("a retry resumes where the previous attempt ended")
  func retry() async throws {
    let server = try server([("ETag", "\"v1\"")])
    let provider = NetworkProvider<LoopbackTarget>(interceptors: [RetryPolicy(exponentialBackoffScale: 0)])
    #expect(try await provider.result(target(server)).get().statusCode == 206)
    #expect(server.log.requests.map { $0.headers["Range"] } == [nil, "bytes=4000-"])
    #expect(content == body)
  }

  @Test("an existing file is an error before the request is sent, unless the options replace it")
  func existing() async throws {
    let server = try LoopbackServer { _ in .text("new") }
    let provider = NetworkProvider<LoopbackTarget>()
    _ = try folder.file(containing: Data("old".utf8))
    #expect(
      await provider.result(target(server)).downloadError == .fileExists(path: folder.file().path))
    #expect(server.log.requestCount == 0)
    _ = try await provider.result(target(server, .removePreviousFile)).get()
    #expect(content == Data("new".utf8))
    #expect(folder.names == ["file"])
  }

  @Test("the partial file of another URL is not resumed")
  func otherAddress() async throws {
    let server = try server([("ETag", "\"v1\"")])
    let provider = NetworkProvider<LoopbackTarget>()
    _ = await provider.result(target(server))
    #expect(folder.names == ["file.part", "file.part.json"])
    let other = LoopbackTarget(server, "/other").with { $0.task = .downloadResumable(to: folder.file()) }
    #expect(try await provider.result(other).get().statusCode == 200)
    #expect(server.log.requests.last?.headers["Range"] == nil)
    #expect(content == body)
  }
}
