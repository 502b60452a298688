import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The response of a download", .timeLimit(.minutes(5)))
struct FileBodyDeliveryTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A target whose response goes to the file.
  private var target: LoopbackTarget {
    let file = folder.file()
    return LoopbackTarget(URL(staticString: "http://h")).with {
      $0.task = .downloadDestination { _, _ in (file, []) }
    }
  }

  private var resumable: LoopbackTarget { target.with { $0.task = .downloadResumable(to: folder.file()) } }

  private var content: String? { try? String(contentsOf: folder.file(), encoding: .utf8) }

  private func result(
    _ target: LoopbackTarget, _ answer: @escaping @Sendable (ScriptedTransport.Transfer) -> Void
  ) async -> Result<Response, NetworkError> {
    await NetworkProvider<LoopbackTarget>(transport: ScriptedTransport(onStart: answer)).result(target)
  }

  private static func head(_ statusCode: Int, _ headers: HTTPHeaders = [:]) -> TransferEvent {
    .head(ResponseHead(statusCode: statusCode, url: "http://h", headers: headers))
  }

  @Test("a media type that the target does not accept creates no file, and the error has the body")
  func mediaTypes() async throws {
    let target = target.with { $0.acceptableContentTypes = ["image/*"] }
    let refused = await result(target) { $0.respond(headers: ["Content-Type": "text/html"], "<html>") }
    guard case .failure(.underlying(_ as ContentTypeError, let response?)) = refused else {
      Issue.record("\(refused)")
      return
    }
    #expect(response.data == Data("<html>".utf8))
    #expect(folder.names.isEmpty)
    let taken = await result(target) { $0.respond(headers: ["Content-Type": "image/png"], "PNG") }
    #expect(try taken.get().fileURL == folder.file())
    #expect(content == "PNG")
  }

  @Test("a status of 300 creates no file, but one of 299 does")
  func statuses() async throws {
    let choices = try await result(target) { $0.respond(300, "choices") }.get()
    #expect(choices.data == Data("choices".utf8))
    #expect(folder.names.isEmpty)
    #expect(try await result(target) { $0.respond(299, "file") }.get().fileURL == folder.file())
  }

  @Test("1 MiB of the body of a bad status is kept, and even a target that accepts the status gets an error")
  func longError() async throws {
    let transport = ScriptedTransport { $0.send(Self.head(404), .body(Data(count: 2 << 20))) }
    defer { transport.finish() }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    guard case .failure(let cut) = await provider.result(target) else {
      Issue.record("no error")
      return
    }
    #expect(cut.transferError == .responseTooLarge(limit: 1 << 20))
    #expect(cut.response?.data.count == 1 << 20)
    guard
      case .failure(.statusCode(let bad)) = await provider.result(
        target.with { $0.validationType = .successCodes })
    else {
      Issue.record("no bad status")
      return
    }
    #expect(bad.data.count == 1 << 20)
    #expect(transport.transfers.map(\.cancelCount) == [1, 1])
    #expect(folder.names.isEmpty)
  }

  @Test("a body of a bad status that has exactly 1 MiB is not cut off")
  func longestError() async throws {
    let transport = ScriptedTransport {
      $0.send(Self.head(404), .body(Data(count: 1 << 20)), .finished(nil))
    }
    let response = try await NetworkProvider<LoopbackTarget>(transport: transport).result(target).get()
    #expect(response.data.count == 1 << 20)
    #expect(transport.transfers.map(\.cancelCount) == [0])
  }

  @Test("the response and the plugins get the metrics of the transport", arguments: [false, true])
  func metrics(isResumable: Bool) async throws {
    var metrics = TransferMetrics()
    metrics.total = .milliseconds(2500)
    let transport = ScriptedTransport { [metrics] in
      $0.send(Self.head(200), .body(Data("x".utf8)), .metrics(metrics), .finished(nil))
    }
    let seen = Lock([TransferMetrics?]())
    let plugin = MetricsPlugin { entry in seen.withLock { $0.append(entry.metrics) } }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin])
    let response = try await provider.result(isResumable ? resumable : target).get()
    #expect(response.metrics == metrics)
    #expect(seen.withLock { $0 } == [metrics])
  }

  @Test("a response to HEAD creates an empty file, whatever its Content-Length")
  func headRequest() async throws {
    let target = target.with { $0.method = .head }
    let answer = await result(target) { $0.respond(headers: ["Content-Length": "7"]) }
    #expect(try answer.get().fileURL == folder.file())
    #expect(content == "")
  }

  @Test("the Content-Length of a compressed body is not compared with the file")
  func packed() async throws {
    let answer = await result(target) {
      $0.respond(headers: ["Content-Encoding": "gzip", "Content-Length": "3"], "unpacked")
    }
    #expect(try answer.get().fileURL == folder.file())
    #expect(content == "unpacked")
  }

  @Test("a body that is shorter than its Content-Length is an error, even if the transport reports none")
  func short() async {
    let answer = await result(target) { $0.respond(headers: ["Content-Length": "5"], "1234") }
    guard case .failure(let error) = answer, case .truncatedBody? = error.transferError else {
      Issue.record("\(answer)")
      return
    }
    #expect(folder.names.isEmpty)
  }

  @Test("other users cannot open the folder of the temporary file")
  func permissions() async throws {
    let file = folder.file()
    let modes = Lock([mode_t]())
    let target = target.with {
      $0.task = .downloadDestination { temporary, _ in
        var facts = stat()
        if stat(temporary.deletingLastPathComponent().path, &facts) == 0 {
          let mode = facts.st_mode & 0o777
          modes.withLock { $0.append(mode) }
        }
        return (file, [])
      }
    }
    _ = try await result(target) { $0.respond(200, "x") }.get()
    #expect(modes.withLock { $0 } == [0o700])
  }

  @Test("the folder of the temporary file is removed when the file has been moved to its destination")
  func cleanedUp() async throws { try await expectNoTemporaryFolder(for: folder.file()) }

  @Test(
    "the folder of the temporary file is removed when the file has been copied to another volume",
    .enabled(if: InstalledProgram.hasOtherVolume, "/dev/shm is not another volume"))
  func copied() async throws {
    let file = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)")
    defer { _ = try? FileManager.default.removeItem(at: file) }
    try await expectNoTemporaryFolder(for: file)
  }

  #if os(Linux)
    /// The number of open files in a folder, or with a name.
    private static func openFileCount(_ folder: URL) -> Int {
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      let paths = descriptors.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      return paths.filter { $0.contains(folder.lastPathComponent) }.count
    }

    @Test("a download has closed its files before its completion is called", arguments: [false, true])
    func closedFiles(isResumable: Bool) async throws {
      let answer = await result(isResumable ? resumable : target) { $0.respond(200, "x") }
      #expect(Self.openFileCount(folder.url) == 0)
      #expect(try answer.get().fileURL == folder.file())
    }

    @Test(
      "a download to another volume has closed its files before its completion is called",
      .enabled(if: InstalledProgram.hasOtherVolume, "/dev/shm is not another volume"))
    func closedCopies() async throws {
      let destination = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: false)
      defer { _ = try? FileManager.default.removeItem(at: destination) }
      let folders = Lock([URL]())
      let counts = Lock([Int]())
      let target = target.with {
        $0.task = .downloadDestination { temporary, _ in
          let folder = temporary.deletingLastPathComponent()
          let count = Self.openFileCount(folder)
          folders.withLock { $0.append(folder) }
          counts.withLock { $0.append(count) }
          return (destination.appendingPathComponent("file"), [])
        }
      }
      _ = try await result(target) { $0.respond(200, "x") }.get()
      let temporary = try #require(folders.withLock { $0.first })
      #expect(counts.withLock { $0 } == [1])
      #expect(Self.openFileCount(temporary) == 0)
      // By the folder, because the copy has been created under another name.
      #expect(Self.openFileCount(destination) == 0)
    }

    @Test("a download that is refused because its file is in use does not keep the file open")
    func closedFileInUse() async throws {
      let transport = ScriptedTransport()
      let provider = NetworkProvider<LoopbackTarget>(transport: transport)
      let first = CompletionStream()
      provider.request(resumable, completion: first.completion)
      try #require(await suspendUntil { transport.transfers.count == 1 })
      let second = await provider.result(resumable)
      #expect(second.downloadError == .inUse(path: folder.file("file.part").path))
      #expect(Self.openFileCount(folder.url) == 1)
      transport.transfers[0].respond(200, "x")
      _ = try await first.next().get()
      #expect(Self.openFileCount(folder.url) == 0)
    }
  #endif

  /// Downloads to the file, and expects that the folder of the temporary file is then removed.
  private func expectNoTemporaryFolder(for file: URL) async throws {
    let folders = Lock([URL]())
    let target = target.with {
      $0.task = .downloadDestination { temporary, _ in
        folders.withLock { $0.append(temporary.deletingLastPathComponent()) }
        return (file, [])
      }
    }
    _ = try await result(target) { $0.respond(200, "x") }.get()
    #expect(try String(contentsOf: file, encoding: .utf8) == "x")
    let temporary = try #require(folders.withLock { $0.first })
    #expect(!FileManager.default.fileExists(atPath: temporary.path))
  }

  @Test("a first attempt without a file leaves no partial file")
  func nothing() async {
    #expect(await result(resumable) { $0.respond(404, "not here") }.summary == "404")
    #expect(folder.names.isEmpty)
    let lost = await result(resumable) { $0.send(.finished(.cannotFindHost("h"))) }
    #expect(lost.summary == "\(TransferError.cannotFindHost("h"))")
    #expect(folder.names.isEmpty)
  }

  @Test("a download that breaks off between its head and its body leaves no file")
  func lostBeforeTheBody() async {
    let lost = await result(resumable) {
      $0.send(Self.head(200, ["ETag": "\"v1\""]), .finished(.connectionLost(reason: "r")))
    }
    #expect(throws: NetworkError.self) { try lost.get() }
    #expect(folder.names.isEmpty)
  }

  @Test(
    "a cancel releases the partial file before the transport has ended, so that the next download can use it",
    arguments: [nil, "\"v1\""])
  func cancelled(tag: String?) async throws {
    let transport = ScriptedTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let (first, second) = (CompletionStream(), CompletionStream())
    let (events, event) = AsyncStream.makeStream(of: Void.self)
    let token = provider.request(
      resumable, progress: { _ in event.yield() }, completion: first.completion)
    let fields = tag.map { ["ETag": $0] as HTTPHeaders } ?? [:]
    try #require(await suspendUntil { transport.transfers.count == 1 })
    transport.transfers[0].send(Self.head(200, fields), .body(Data("abc".utf8)))
    for await _ in events { break }
    let kept = tag == nil ? [] : ["file.part", "file.part.json"]
    #expect(folder.names == (tag == nil ? ["file.part"] : kept))
    token.cancel()
    #expect(await first.next().summary == "cancelled")
    #expect(folder.names == kept)
    provider.request(resumable, completion: second.completion)
    try #require(await suspendUntil { transport.transfers.count == 2 })
    #expect(transport.transfers[1].request.headers["Range"] == tag.map { _ in "bytes=3-" })
    if tag == nil {
      transport.transfers[1].respond(200, "abcdef")
    } else {
      transport.transfers[1].respond(206, headers: ["Content-Range": "bytes 3-5/6"], "def")
    }
    _ = try await second.next().get()
    #expect(content == "abcdef")
    transport.transfers[0].send(.finished(.cancelled))
  }

  @Test("a resumable download never opens, closes or removes its file on a calling thread")
  func threads() throws {
    let (sent, ended) = (ThreadRecorder(), ThreadRecorder())
    let transport = ScriptedTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [sent])
    func begin() throws -> (any Cancellable, ScriptedTransport.Transfer) {
      let count = transport.transfers.count
      let token = provider.request(resumable) { _ in ended.record() }
      #expect(sent.wait(for: count + 1))
      while transport.transfers.count == count { sched_yield() }
      return (token, transport.transfers[count])
    }
    // On one thread, without suspensions.
    try begin().1.respond(404, "not here")
    #expect(ended.wait(for: 1))
    let (token, transfer) = try begin()
    transfer.send(Self.head(200), .body(Data("abc".utf8)))
    token.cancel()
    #expect(ended.wait(for: 2))
    try begin().1.respond(416)
    #expect(ended.wait(for: 3))
    #expect(!sent.threads.contains(ThreadRecorder.current))
    #expect(!ended.threads.contains(ThreadRecorder.current))
    #expect(folder.names.isEmpty)
  }

  @Test("a download can use the file of a previous one that was just cancelled")
  func replaced() async throws {
    let transport = ScriptedTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    var last: (any Cancellable)?
    let ending = CompletionStream()
    let rounds = 200
    // Found by its number: the transfer of an earlier round may begin late, and is cancelled.
    func transfer(_ round: Int) -> ScriptedTransport.Transfer? {
      transport.transfers.first { $0.request.headers["Round"] == "\(round)" }
    }
    for round in 0...rounds {
      last?.cancel()
      last = provider.request(resumable.with { $0.headers = ["Round": "\(round)"] }) { result in
        if case .failure(let error) = result, error.isCancelled { return }
        ending.completion(result)
      }
      // The previous download is cancelled at any moment.
      if round % 3 == 0 { #expect(await suspendUntil { transfer(round) != nil }) }
    }
    #expect(await suspendUntil { transfer(rounds) != nil })
    transfer(rounds)?.respond(200, "whole")
    #expect(try await ending.next().get().fileURL == folder.file())
    #expect(content == "whole")
    for transfer in transport.transfers { transfer.send(.finished(.cancelled)) }
  }

  @Test("a cancel within a callback ends the request when the file has been released", arguments: [0, 1])
  func cancelledWithin(callback: Int) async throws {
    let transport = ScriptedTransport()
    let ending = CompletionStream()
    let token = Lock<(any Cancellable)?>(nil)
    let cancel: @Sendable () -> Void = { token.withLock { $0 }?.cancel() }
    let names = Lock<[[String]]>([])
    let plugin = ClosurePlugin { if callback == 0 { cancel() } }
    let queue = DispatchQueue(label: "callbacks")
    queue.suspend()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin])
    let started = provider.request(
      resumable, callbackQueue: queue, progress: { _ in cancel() },
      completion: { [folder] result in
        names.withLock { $0.append(folder.names) }
        ending.completion(result)
      })
    token.withLock { $0 = started }
    queue.resume()
    plugin.begin()
    if callback == 1 {
      try #require(await suspendUntil { transport.transfers.count == 1 })
      transport.transfers[0].send(Self.head(200), .body(Data("abc".utf8)))
    }
    #expect(await ending.next().summary == "cancelled")
    #expect(names.withLock { $0 } == [[]])
    transport.finish()
  }
}

/// Records the threads on which it is called.
private final class ThreadRecorder: PluginType {
  private let noted = Lock<[String]>([])
  private let arrival = DispatchSemaphore(value: 0)

  static var current: String { "\(pthread_self())" }

  var threads: [String] { noted.withLock { $0 } }

  func record() {
    let current = Self.current
    noted.withLock { $0.append(current) }
    arrival.signal()
  }

  func willSend(_ request: any RequestType, target: any TargetType) { record() }

  /// Blocks until `count` calls have been recorded.
  func wait(for count: Int) -> Bool {
    while threads.count < count {
      guard arrival.wait(timeout: .now() + 60) == .success else { return false }
    }
    return true
  }
}

/// Calls a closure before each request is sent, when `begin()` has been called.
private final class ClosurePlugin: PluginType {
  private let closure: @Sendable () -> Void
  private let start = DispatchSemaphore(value: 0)

  init(_ closure: @escaping @Sendable () -> Void) {
    self.closure = closure
  }

  func begin() { start.signal() }

  func willSend(_ request: any RequestType, target: any TargetType) {
    start.wait()
    closure()
  }
}
