import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Downloads", .timeLimit(.minutes(5)))
struct DownloadTests {
  private let folder: TemporaryFolder
  private let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) })

  init() throws {
    folder = try TemporaryFolder()
  }

  private func server() throws -> LoopbackServer {
    let body = body
    return try LoopbackServer { request in
      switch request.path {
      case "/file": .bytes(body, type: "image/png").header("X-Name", "value")
      case "/short": .bytes(body).truncated(after: 1000)
      case "/missing": .text("not here", status: 404)
      default: .never
      }
    }
  }

  private func destination(_ name: String = "file", _ options: DownloadOptions = []) -> DownloadDestination {
    let url = folder.file(name)
    return { _, _ in (url, options) }
  }

  private func content(_ name: String = "file") -> Data? { try? Data(contentsOf: folder.file(name)) }

  @Test("the response has the URL of the file, and no body", arguments: TransportKind.allCases)
  func whole(kind: TransportKind) async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let seen = Lock((name: "", status: 0, isWhole: false))
    let url = folder.file()
    let body = body
    let target = LoopbackTarget(server, "/file").with {
      $0.task = .downloadDestination { temporary, response in
        seen.withLock {
          $0.name = response.value(forHTTPHeaderField: "X-Name") ?? ""
          $0.status = response.statusCode
          $0.isWhole = (try? Data(contentsOf: temporary)) == body
        }
        return (url, [])
      }
    }
    let response = try await provider.result(target).get()
    #expect(response.statusCode == 200)
    #expect(response.headers["X-Name"] == "value")
    #expect(response.data.isEmpty)
    #expect(response.fileURL == url)
    #expect(content() == body)
    #expect(seen.withLock { $0.name == "value" && $0.status == 200 && $0.isWhole })
    #expect(folder.names == ["file"])
  }

  @Test("the encoding decides where parameters go")
  func parameters() async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>()
    let target = LoopbackTarget(server, "/file").with {
      $0.task = .downloadParameters(
        parameters: ["a": 1], encoding: URLEncoding.queryString, destination: destination())
    }
    #expect(try await provider.result(target).get().fileURL == folder.file())
    #expect(server.log.requests.first?.query("a") == "1")
  }

  @Test("nothing is at the destination before the file is complete", arguments: TransportKind.allCases)
  func appearance(kind: TransportKind) async throws {
    let gate = LoopbackServer.Gate()
    let body = body
    let server = try LoopbackServer { _ in .bytes(body).bodyHeld(until: gate, after: 200_000) }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let ending = CompletionStream()
    let (counts, count) = AsyncStream.makeStream(of: Int64.self)
    provider.request(
      LoopbackTarget(server).with { $0.task = .downloadDestination(destination()) },
      progress: { count.yield($0.completedUnitCount) }, completion: ending.completion)
    for await count in counts where count >= 200_000 { break }
    #expect(folder.names.isEmpty)
    gate.open()
    #expect(try await ending.next().get().fileURL == folder.file())
    #expect(content() == body)
  }

  @Test(
    "progress has the total, never decreases, and ends with the response", arguments: TransportKind.allCases)
  func progress(kind: TransportKind) async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let seen = Lock([ProgressResponse]())
    let ending = CompletionStream()
    provider.request(
      LoopbackTarget(server, "/file").with { $0.task = .downloadDestination(destination()) },
      progress: { progress in seen.withLock { $0.append(progress) } }, completion: ending.completion)
    _ = try await ending.next().get()
    let all = seen.withLock { $0 }
    let counts = all.map(\.completedUnitCount)
    #expect(counts == counts.sorted())
    #expect(all.allSatisfy { $0.totalUnitCount == 300_000 })
    #expect(all.count > 1)
    #expect(all.last?.completedUnitCount == 300_000)
    #expect(all.last?.response?.fileURL == folder.file())
  }

  @Test("an accepted 304 leaves the file at the destination", arguments: [false, true], [nil, "300000"])
  func notModified(isResumable: Bool, length: String?) async throws {
    let server = try LoopbackServer { _ in
      let reply = LoopbackServer.Reply.status(304)
      return if let length { reply.header("Content-Length", length) } else { reply }
    }
    let old = Data("old".utf8)
    let file = try folder.file(containing: old)
    let response = try await NetworkProvider<LoopbackTarget>().result(
      LoopbackTarget(server).with {
        $0.headers = ["If-None-Match": "\"v1\""]
        $0.validationType = .successAndRedirectCodes
        $0.task =
          isResumable
          ? .downloadResumable(to: file, options: .removePreviousFile)
          : .downloadDestination(destination("file", .removePreviousFile))
      }
    ).get()
    #expect(response.statusCode == 304)
    #expect(response.fileURL == nil)
    #expect(content() == old)
    #expect(folder.names == ["file"])
  }

  @Test("a status of 400 or more that validation accepts creates a file, and is not sent again")
  func acceptedFailure() async throws {
    let server = try LoopbackServer { _ in .text("busy", status: 503) }
    let provider = NetworkProvider<LoopbackTarget>(interceptors: [RetryPolicy(exponentialBackoffScale: 0)])
    let target = LoopbackTarget(server).with {
      $0.validationType = .customCodes([200, 503])
      $0.task = .downloadDestination(destination())
    }
    let response = try await provider.result(target).get()
    #expect(response.statusCode == 503)
    #expect(response.fileURL == folder.file())
    #expect(content() == Data("busy".utf8))
    #expect(server.log.requestCount == 1)
  }

  @Test("the last progress of a download counts the file, however large the body of the request is")
  func progressOfLargeRequest() async throws {
    let body = body
    let server = try LoopbackServer { _ in .bytes(body).chunked() }
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    let target = LoopbackTarget(server).with {
      $0.method = .post
      $0.task = .downloadParameters(
        parameters: ["a": String(repeating: "x", count: 100_000)], encoding: URLEncoding.httpBody,
        destination: destination())
    }
    let last = Lock<ProgressResponse?>(nil)
    let ending = CompletionStream()
    provider.request(
      target, progress: { progress in last.withLock { $0 = progress } }, completion: ending.completion)
    _ = try await ending.next().get()
    let progress = try #require(last.withLock { $0 })
    #expect(progress.completedUnitCount == 300_000)
    #expect(progress.totalUnitCount == 300_000)
  }

  @Test("an existing file stays, unless the options replace it")
  func existing() async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>()
    let old = Data("old".utf8)
    _ = try folder.file(containing: old)
    let target = LoopbackTarget(server, "/file")
    let refused = await provider.result(target.with { $0.task = .downloadDestination(destination()) })
    #expect(refused.downloadError == .fileExists(path: folder.file().path))
    #expect(content() == old)
    let replaced = await provider.result(
      target.with { $0.task = .downloadDestination(destination("file", .removePreviousFile)) })
    #expect(replaced.downloadError == nil)
    #expect(content() == body)
    #expect(folder.names == ["file"])
  }

  @Test("folders are created only on request, and never replaced")
  func folders() async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>()
    func result(_ name: String, _ options: DownloadOptions) async -> DownloadError? {
      await provider.result(
        LoopbackTarget(server, "/file").with { $0.task = .downloadDestination(destination(name, options)) }
      ).downloadError
    }
    guard case .cannotWrite(let path, _)? = await result("a/b/file", []) else {
      Issue.record("no error")
      return
    }
    #expect(path == folder.file("a/b/file").path)
    #expect(await result("a/b/file", .createIntermediateDirectories) == nil)
    #expect(content("a/b/file") == body)
    #expect(await result("a", .removePreviousFile) == .isDirectory(path: folder.file("a").path))
    #expect(content("a/b/file") == body)
  }

  @Test("a destination that is not a file URL is an error")
  func noFile() async throws {
    let server = try server()
    let web = try #require(URL(string: "https://localhost/file"))
    let target = LoopbackTarget(server, "/file").with { $0.task = .downloadDestination { _, _ in (web, []) } }
    let result = await NetworkProvider<LoopbackTarget>().result(target)
    #expect(result.downloadError == .notAFileURL("https://localhost/file"))
  }

  @Test("a whole body that arrives as a part of an encoded one is an error, and creates no file")
  func encodedPart() async throws {
    let server = try LoopbackServer { _ in
      .bytes(Data("encoded".utf8), status: 206).header("Content-Range", "bytes 0-6/7")
        .header("Content-Encoding", "gzip")
    }
    let target = LoopbackTarget(server).with { $0.task = .downloadDestination(destination()) }
    let result = await NetworkProvider<LoopbackTarget>().result(target)
    #expect(result.downloadError == .wrongRange(asked: "none", received: "bytes 0-6/7"))
    #expect(folder.names.isEmpty)
  }

  @Test("a range that was not requested is an error, and creates no file")
  func unaskedRange() async throws {
    let part = Data(body.prefix(1000))
    let server = try LoopbackServer { _ in
      .bytes(part, status: 206).header("Content-Range", "bytes 0-999/300000")
    }
    let target = LoopbackTarget(server).with { $0.task = .downloadDestination(destination()) }
    let provider = NetworkProvider<LoopbackTarget>()
    #expect(
      await provider.result(target).downloadError
        == .wrongRange(asked: "none", received: "bytes 0-999/300000"))
    #expect(folder.names.isEmpty)
    let asked = await provider.result(target.with { $0.headers = ["Range": "bytes=0-999"] })
    #expect(try asked.get().statusCode == 206)
    #expect(content() == part)
  }

  @Test(
    "a cancel stops the copy to another volume, and leaves nothing there",
    .enabled(if: TemporaryFolder.isOnOtherVolume("/dev/shm", withBytes: 8 << 30)))
  func cancelledCopy() async throws {
    let server = try server()
    let other = URL(filePath: "/dev/shm/\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: other) }
    let names = { (try? FileManager.default.contentsOfDirectory(atPath: other.path)) ?? [] }
    let target = LoopbackTarget(server, "/file").with {
      $0.task = .downloadDestination { temporary, _ in
        // Four gibibytes without content, whose copy takes long enough to be cancelled.
        truncate(temporary.path, 4 << 30)
        return (other.appending(component: "file"), [])
      }
    }
    let ending = CompletionStream()
    let token = NetworkProvider<LoopbackTarget>().request(target, completion: ending.completion)
    await suspendUntil { !names().isEmpty }
    token.cancel()
    #expect(await ending.next().summary == "cancelled")
    #expect(names() == [])
  }

  @Test("a body that ends early is an error, and creates no file", arguments: TransportKind.allCases)
  func truncated(kind: TransportKind) async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let target = LoopbackTarget(server, "/short").with { $0.task = .downloadDestination(destination()) }
    let result = await provider.result(target)
    #expect(throws: NetworkError.self) { try result.get() }
    #expect(folder.names.isEmpty)
  }

  @Test("a bad status creates no file, and its body is kept in memory", arguments: TransportKind.allCases)
  func badStatus(kind: TransportKind) async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let target = LoopbackTarget(server, "/missing").with { $0.task = .downloadDestination(destination()) }
    let response = try await provider.result(target).get()
    #expect(response.statusCode == 404)
    #expect(response.data == Data("not here".utf8))
    #expect(response.fileURL == nil)
    let strict = await provider.result(target.with { $0.validationType = .successCodes })
    #expect(strict.summary == "bad 404")
    guard case .failure(let error) = strict else { return }
    #expect(error.response?.data == Data("not here".utf8))
    #expect(folder.names.isEmpty)
    let lenient = await provider.result(target.with { $0.validationType = .customCodes([404]) })
    #expect(try lenient.get().fileURL == folder.file())
    #expect(content() == Data("not here".utf8))
  }

  @Test("a stub's response is downloaded before the request returns")
  func stub() throws {
    let provider = NetworkProvider<LoopbackTarget>(
      endpointClosure: { target in
        Endpoint(
          url: "http://localhost/", sampleResponseClosure: { .networkResponse(200, Data("sample".utf8)) },
          method: .get, task: target.task, httpHeaderFields: nil)
      },
      stubClosure: { _ in .immediate }, transport: ScriptedTransport())
    let url = try #require(URL(string: "http://localhost"))
    let outcome = CompletionRecorder()
    provider.request(
      LoopbackTarget(url).with { $0.task = .downloadDestination(destination()) },
      completion: outcome.completion)
    #expect(outcome.response?.fileURL == folder.file())
    #expect(content() == Data("sample".utf8))
  }

  @Test(
    "neither a cancel nor an error leaves a temporary file",
    .enabled(if: InstalledProgram.canCountTemporaryFiles))
  func temporaryFiles() async {
    await #expect(processExitsWith: .success) {
      // A separate folder of temporary files for this process.
      let folder = try TemporaryFolder()
      setenv("TMPDIR", folder.url.path, 1)
      #expect(FileManager.default.temporaryDirectory.lastPathComponent == folder.url.lastPathComponent)
      let server = try LoopbackServer { request in
        switch request.path {
        case "/held": .text("0123456789").bodyHeld(until: .init(), after: 5)
        case "/short": .text("0123456789").truncated(after: 5)
        default: .text("0123456789")
        }
      }
      let provider = NetworkProvider<LoopbackTarget>()
      let web = try #require(URL(string: "https://localhost/file"))
      let target = LoopbackTarget(server).with { $0.task = .downloadDestination { _, _ in (web, []) } }
      for path in ["/", "/short"] {
        let result = await provider.result(LoopbackTarget(server, path).with { $0.task = target.task })
        #expect(throws: NetworkError.self) { try result.get() }
        #expect(folder.names.isEmpty)
      }
      let ending = CompletionStream()
      let (events, event) = AsyncStream.makeStream(of: Void.self)
      let token = provider.request(
        LoopbackTarget(server, "/held").with { $0.task = target.task }, progress: { _ in event.yield() },
        completion: ending.completion)
      for await _ in events { break }
      #expect(folder.names.count == 1)
      token.cancel()
      #expect(await ending.next().summary == "cancelled")
      #expect(folder.names.isEmpty)
    }
  }

  @Test(
    "a file reaches a destination on another volume",
    .enabled(if: InstalledProgram.hasOtherVolume, "/dev/shm is not another volume"))
  func otherVolume() async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>()
    let other = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)", isDirectory: true)
    defer { _ = try? FileManager.default.removeItem(at: other) }
    let url = other.appendingPathComponent("file")
    for options in [[.createIntermediateDirectories], .removePreviousFile] as [DownloadOptions] {
      let target = LoopbackTarget(server, "/file").with {
        $0.task = .downloadDestination { _, _ in (url, options) }
      }
      #expect(try await provider.result(target).get().fileURL == url)
      #expect(try Data(contentsOf: url) == body)
      #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["file"])
    }
    let target = LoopbackTarget(server, "/file").with { $0.task = .downloadDestination { _, _ in (url, []) } }
    #expect(await provider.result(target).downloadError == .fileExists(path: url.path))
  }

  @Test(
    "the suggested name stays in its folder",
    arguments: [
      (#"attachment; filename="report.pdf""#, "report.pdf"),
      (#"attachment; filename="../../etc/passwd""#, "passwd"),
      (#"attachment; filename="..""#, "Unknown"),
      (#"attachment; filename="/etc/passwd""#, "passwd"),
      (#"attachment; filename="..\..\evil.exe""#, "evil.exe"),
      (#"attachment; filename=".bashrc""#, "bashrc"),
      (nil, "file"),
    ] as [(String?, String)])
  func suggestedName(disposition: String?, name: String) async throws {
    let server = try LoopbackServer { _ in
      let reply = LoopbackServer.Reply.text("content")
      return disposition.map { reply.header("Content-Disposition", $0) } ?? reply
    }
    let target = LoopbackTarget(server, "/folder/file").with {
      $0.task = .downloadDestination { [url = folder.url] _, response in
        (url.appendingPathComponent(response.safeSuggestedFilename), [])
      }
    }
    let response = try await NetworkProvider<LoopbackTarget>().result(target).get()
    #expect(response.fileURL?.lastPathComponent == name)
    #expect(folder.names == [name])
  }

  @Test("plugins and retriers handle a download like any request")
  func plugins() async throws {
    let count = Lock(0)
    let body = body
    let server = try LoopbackServer { _ in
      count.withLock { $0 += 1 }
      return count.withLock { $0 } == 1 ? .status(503) : .bytes(body)
    }
    let log = Log()
    let provider = NetworkProvider<LoopbackTarget>(
      plugins: [LoggingPlugin(name: "a", log: log)],
      interceptors: [RetryPolicy(exponentialBackoffScale: 0)])
    let target = LoopbackTarget(server).with {
      $0.task = .downloadDestination(destination())
      $0.validationType = .successCodes
    }
    #expect(await provider.result(target).summary == "201")
    #expect(
      log.all == [
        "a prepare", "a willSend a", "a didReceive bad 503", "a prepare", "a willSend a", "a didReceive 200",
        "a process 200",
      ])
    #expect(content() == body)
  }
}

extension Result where Success == Response, Failure == NetworkError {
  /// The underlying `DownloadError`, if any.
  var downloadError: DownloadError? {
    guard case .failure(.underlying(let error, _)) = self else { return nil }
    return error as? DownloadError
  }
}

extension InstalledProgram {
  /// Whether a process can use another folder of temporary files.
  fileprivate static let canCountTemporaryFiles: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()

  static let hasOtherVolume: Bool = {
    var here = stat()
    var there = stat()
    return stat(FileManager.default.temporaryDirectory.path, &here) == 0 && stat("/dev/shm", &there) == 0
      && here.st_dev != there.st_dev && access("/dev/shm", W_OK) == 0
  }()
}
