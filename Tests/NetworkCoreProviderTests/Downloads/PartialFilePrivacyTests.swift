import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Privacy of partial files", .timeLimit(.minutes(5)))
struct PartialFilePrivacyTests {
  private let folder: TemporaryFolder
  private let signed = "/a?X-Amz-Signature=5ec3e7"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func download(
    _ path: String, _ answer: @escaping @Sendable (ScriptedTransport.Transfer) -> Void
  ) async throws -> (result: Result<Response, NetworkError>, range: String?) {
    let transport = ScriptedTransport(onStart: answer)
    let target = LoopbackTarget(try #require(URL(string: "http://h" + path)), "").with {
      $0.task = .downloadResumable(to: folder.file())
    }
    let result = await NetworkProvider<LoopbackTarget>(transport: transport).result(target)
    return (result, transport.transfers.first?.request.headers["Range"])
  }

  /// Ends the transfer with an error after four of ten bytes.
  private static func interrupt(_ transfer: ScriptedTransport.Transfer) {
    transfer.send(
      .head(
        ResponseHead(statusCode: 200, url: "http://h", headers: ["ETag": "\"v1\"", "Content-Length": "10"])),
      .body(Data("0123".utf8)), .finished(.connectionLost(reason: "r")))
  }

  private static func finish(_ transfer: ScriptedTransport.Transfer) {
    guard transfer.request.headers["Range"] != nil else { return transfer.respond(200, "0123456789") }
    transfer.respond(206, headers: ["Content-Range": "bytes 4-9/10"], "456789")
  }

  private func permissions(_ name: String) -> mode_t? { permissions(of: folder.file(name)) }

  private func permissions(of file: URL) -> mode_t? {
    var facts = stat()
    return stat(file.path, &facts) == 0 ? facts.st_mode & 0o777 : nil
  }

  @Test("only this user can read a partial file; a complete one has the permissions of any new file")
  func modes() async throws {
    _ = try await download(signed, Self.interrupt)
    #expect(permissions("file.part") == 0o600)
    #expect(permissions("file.part.json") == 0o600)
    let (result, range) = try await download(signed, Self.finish)
    #expect(range == "bytes=4-")
    #expect(try result.get().fileURL == folder.file())
    _ = try folder.file("new", containing: Data())
    #expect(permissions("file") == permissions("new"))
    #expect(folder.names == ["file", "new"])
  }

  @Test("a file that cannot be resumed has the permissions of any new file, on another volume as well")
  func modesOfOthers() async throws {
    let other = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)")
    defer { _ = try? FileManager.default.removeItem(at: other) }
    let provider = NetworkProvider<LoopbackTarget>(transport: ScriptedTransport { $0.respond(200, "x") })
    _ = try folder.file("new", containing: Data())
    for file in InstalledProgram.hasOtherVolume ? [folder.file(), other] : [folder.file()] {
      let target = LoopbackTarget(URL(staticString: "http://h")).with {
        $0.task = .downloadDestination { _, _ in (file, []) }
      }
      #expect(try await provider.result(target).get().fileURL == file)
      #expect(permissions(of: file) == permissions("new"))
    }
  }

  @Test("a partial file of another user is removed and not written to", .enabled(if: geteuid() == 0))
  func owner() async throws {
    _ = try await download(signed, Self.interrupt)
    chown(folder.file("file.part").path, 1, 1)
    let kept = folder.file("other")
    try FileManager.default.linkItem(at: folder.file("file.part"), to: kept)
    let (result, range) = try await download(signed, Self.finish)
    #expect(range == nil)
    #expect(try result.get().fileURL == folder.file())
    var facts = stat()
    #expect(stat(folder.file().path, &facts) == 0 && facts.st_uid == geteuid())
    #expect(try Data(contentsOf: kept) == Data("0123".utf8))
  }

  @Test("the metadata identifies the URL without containing it")
  func notes() async throws {
    _ = try await download(signed, Self.interrupt)
    let notes = try String(contentsOf: folder.file("file.part.json"), encoding: .utf8)
    #expect(notes.contains("v1"))
    #expect(!notes.contains("5ec3e7") && !notes.contains("http"))
    #expect(try await download("/a?X-Amz-Signature=0ther", Self.finish).range == nil)
  }

  @Test(
    "a partial file of an earlier version is not resumed, and its metadata is replaced",
    arguments: [
      #"{"url":"http://h/a?X-Amz-Signature=5ec3e7","validator":"\"v1\"","total":10}"#, "", "[]", "{",
    ])
  func old(notes: String) async throws {
    _ = try folder.file("file.part", containing: Data("0123".utf8))
    _ = try folder.file("file.part.json", containing: Data(notes.utf8))
    for name in folder.names { chmod(folder.file(name).path, 0o644) }
    let (result, range) = try await download(signed, Self.interrupt)
    #expect(throws: NetworkError.self) { try result.get() }
    #expect(range == nil)
    #expect(permissions("file.part") == 0o600)
    #expect(permissions("file.part.json") == 0o600)
    #expect(try !String(contentsOf: folder.file("file.part.json"), encoding: .utf8).contains("5ec3e7"))
  }

  @Test("metadata that is a pipe or a link is not read, but replaced")
  func planted() async throws {
    let other = try folder.file("other", containing: Data("theirs".utf8))
    _ = try folder.file("file.part", containing: Data("0123".utf8))
    for plant in [{ _ = mkfifo($0, 0o600) }, { _ = symlink(other.path, $0) }] as [(String) -> Void] {
      plant(folder.file("file.part.json").path)
      let (_, range) = try await download(signed, Self.interrupt)
      #expect(range == nil)
      #expect(permissions("file.part.json") == 0o600)
      unlink(folder.file("file.part.json").path)
    }
    #expect(try Data(contentsOf: other) == Data("theirs".utf8))
  }

  @Test(
    "a name that leaves no room for .part.json gets a partial file with a shorter name, which is resumed",
    arguments: [245, 246, 255])
  func longNames(count: Int) async throws {
    let name = String(repeating: "é", count: count / 2) + (count % 2 == 0 ? "" : "x")
    let target = LoopbackTarget(URL(staticString: "http://h")).with {
      $0.task = .downloadResumable(to: folder.file(name))
    }
    let cut = NetworkProvider<LoopbackTarget>(transport: ScriptedTransport(onStart: Self.interrupt))
    #expect(await cut.result(target).summary == "\(TransferError.connectionLost(reason: "r"))")
    #expect(folder.names.count == 2)
    let rest = ScriptedTransport(onStart: Self.finish)
    _ = try await NetworkProvider<LoopbackTarget>(transport: rest).result(target).get()
    #expect(rest.transfers.map { $0.request.headers["Range"] } == ["bytes=4-"])
    #expect(folder.names == [name])
    #expect(try Data(contentsOf: folder.file(name)) == Data("0123456789".utf8))
  }

  @Test("a name of more than 255 bytes is refused before the request is sent")
  func tooLong() async throws {
    let file = folder.file(String(repeating: "a", count: 256))
    let transport = ScriptedTransport(onStart: Self.finish)
    let target = LoopbackTarget(URL(staticString: "http://h")).with { $0.task = .downloadResumable(to: file) }
    let error = await NetworkProvider<LoopbackTarget>(transport: transport).result(target).downloadError
    guard case .cannotWrite(file.path, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(transport.transfers.isEmpty)
  }

  @Test("a late end of a cancelled transfer does not change the file of the next download")
  func lateEnd() async throws {
    let transport = ScriptedTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let target = LoopbackTarget(URL(staticString: "http://h")).with {
      $0.task = .downloadResumable(to: folder.file())
    }
    let (first, second) = (CompletionStream(), CompletionStream())
    weak var call: AnyObject?
    do {
      let token = provider.request(target, completion: first.completion)
      call = token as AnyObject
      await suspendUntil { transport.transfers.count == 1 }
      token.cancel()
    }
    _ = await first.next()
    provider.request(target, completion: second.completion)
    try #require(await suspendUntil { transport.transfers.count == 2 })
    let events = transport.transfers
    events[1].send(
      .head(ResponseHead(statusCode: 200, url: "http://h", headers: ["ETag": "\"v1\""])),
      .body(Data("0123".utf8)))
    await suspendUntil { folder.names == ["file.part", "file.part.json"] }
    events[0].send(.finished(.cancelled))
    events[0].releaseHandler()
    await suspendUntil { call == nil }
    #expect(call == nil)
    events[1].send(.finished(.connectionLost(reason: "r")))
    _ = await second.next()
    #expect(folder.names == ["file.part", "file.part.json"])
  }
}
