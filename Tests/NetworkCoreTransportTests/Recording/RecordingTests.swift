import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Recording and replaying", .timeLimit(.minutes(5)))
struct RecordingTests {
  private func post(_ server: LoopbackServer, _ text: String) -> LoopbackTarget {
    LoopbackTarget(server, "/echo").with {
      $0.method = .post
      $0.task = .requestData(Data(text.utf8))
    }
  }

  @Test("recorded responses are replayed, offline and in order", arguments: TransportKind.allCases)
  func roundTrip(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer {
      .text("\($0.text)!", status: 201).header("X-A", "b").header("Set-Cookie", "s=1")
    }
    server.route("GET", "/bytes") { _ in .bytes([0, 255, 1]) }
    server.route("GET", "/count") { [log = server] _ in .text("\(log.log.requestCount)") }
    let recorder = try RecordingTransport(kind.make(), folder: folder.url)
    let online = NetworkProvider<LoopbackTarget>(transport: recorder)
    let targets = [
      post(server, "a"), post(server, "b"), LoopbackTarget(server, "/bytes"),
      LoopbackTarget(server, "/count"),
      LoopbackTarget(server, "/count"),
    ]
    var recorded: [Response] = []
    for target in targets { recorded.append(try await online.result(target).get()) }
    #expect(folder.names.count == 5)
    server.stop()

    let offline = NetworkProvider<LoopbackTarget>(transport: try ReplayTransport(folder: folder.url))
    for (target, response) in zip(targets, recorded) {
      let replayed = try await offline.result(target).get()
      #expect(replayed.statusCode == response.statusCode)
      #expect(replayed.data == response.data)
      #expect(replayed.headers["X-A"] == response.headers["X-A"])
    }
    #expect(recorded[3].data != recorded[4].data)
    #expect(try await offline.result(targets[3]).get().data == recorded[4].data)
    let again = try await offline.result(targets[0]).get()
    #expect(again.headers["Set-Cookie"] == nil)
  }

  @Test("the responses to equal requests are replayed in the order in which the requests were started")
  func overlapping() async throws {
    let folder = try TemporaryFolder()
    let wire = ScriptedTransport()
    let recorder = try RecordingTransport(wire, folder: folder.url)
    let request = TransportRequest(url: "http://h/")
    for _ in 0..<3 { _ = recorder.start(request) { _ in } }
    wire.transfers[2].respond(200, "third")
    wire.transfers[1].send(.finished(.timedOut(after: .seconds(1))))
    wire.transfers[0].respond(200, "first")
    let replay = try ReplayTransport(folder: folder.url)
    for body in ["first", "third", "third"] {
      #expect(await replay.exchange(request).body == Data(body.utf8))
    }
  }

  @Test("a request that was not recorded is a typed error", arguments: ["/other", "/echo"])
  func unknown(path: String) async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { _ in .text("ok") }
    _ = await NetworkProvider<LoopbackTarget>(
      transport: try RecordingTransport(URLSessionTransport(), folder: folder.url)
    ).result(post(server, "a"))
    let offline = NetworkProvider<LoopbackTarget>(transport: try ReplayTransport(folder: folder.url))
    let target = LoopbackTarget(server, path).with { $0.method = path == "/echo" ? .post : .get }
    guard case .failure(let error) = await offline.result(target) else {
      Issue.record("a response without a recording")
      return
    }
    #expect(
      error.transferError
        == .notRecorded(method: target.method.rawValue, url: "\(server.origin)\(path)"))
  }

  @Test("a replay has the progress of the body and the limit of the response that the wire has")
  func progressAndLimit() async throws {
    let folder = try TemporaryFolder()
    let wire = ScriptedTransport { $0.respond(200, headers: [:], String(repeating: "a", count: 2_000)) }
    var request = TransportRequest(method: .post, url: "http://h/a", body: .data(Data("body".utf8)))
    #expect(await (try RecordingTransport(wire, folder: folder.url)).exchange(request).error == nil)
    let replay = try ReplayTransport(folder: folder.url)
    #expect(await replay.exchange(request).sent.isEmpty)
    request.reportsProgress = true
    request.responseBodyLimit = 1_999
    let (_, recorder) = replay.record(request)
    let events = await recorder.waitForEnd()
    #expect(events.sent == [4])
    #expect(events.error == .responseTooLarge(limit: 1_999))
    request.responseBodyLimit = 2_000
    #expect(await replay.exchange(request).error == nil)
  }

  @Test("a recording whose URLs have parameters that count as secrets now is replayed")
  func earlierParameters() async throws {
    let folder = try TemporaryFolder()
    let recorder = try RecordingTransport(
      ScriptedTransport { $0.respond(200, "body") }, folder: folder.url, publicParameters: ["private_token"])
    #expect(await recorder.exchange(.init(url: "http://h/?private_token=abc")).error == nil)
    let files = try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
    let file = try #require(files.first)
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    var object = try #require(json as? [String: Any])
    // An earlier version knew no such list, and did not mask this parameter.
    object["publicParameters"] = nil
    try JSONSerialization.data(withJSONObject: object).write(to: file)
    let events = await (try ReplayTransport(folder: folder.url)).exchange(
      .init(url: "http://h/?private_token=xyz"))
    #expect(events.body == Data("body".utf8))
    #expect(events.head?.url == "http://h/?private_token=xyz")
  }

  @Test("parameters that are no secrets select the response, also in the target of a redirect")
  func publicParameters() async throws {
    let folder = try TemporaryFolder()
    let recorder = try RecordingTransport(
      ScriptedTransport { transfer in
        let url = transfer.request.url
        guard !url.hasSuffix("/a") else {
          return transfer.respond(302, headers: ["Location": "http://h/b?where[Country-Code]=FR&token=t"])
        }
        transfer.respond(200, url)
      }, folder: folder.url, publicParameters: ["code", "country_code", "key"])
    let urls = [
      "http://h/b?code=DE", "http://h/b?code=FR", "http://h/b?where[Country-Code]=FR&token=s", "http://h/a",
    ]
    for url in urls { #expect(await recorder.exchange(.init(url: url)).error == nil) }
    let replay = try ReplayTransport(folder: folder.url)
    for url in urls[...1].reversed() {
      #expect(await replay.exchange(.init(url: url)).body == Data(url.utf8))
    }
    #expect(
      await replay.exchange(.init(url: "http://h/b?code=IT&token=s")).error
        == .notRecorded(method: "GET", url: "http://h/b?code=IT&token=<redacted>"))
    let location = try #require(await replay.exchange(.init(url: "http://h/a")).head?.headers["Location"])
    #expect(await replay.exchange(.init(url: location)).body == Data(urls[2].utf8))
  }

  @Test("the request's secrets are not written, and only this user can read the file")
  func secrets() async throws {
    let folder = try TemporaryFolder()
    let new = folder.file("new")
    _ = try RecordingTransport(ScriptedTransport { $0.respond() }, folder: new)
    let access = try FileManager.default.attributesOfItem(atPath: new.path)[.posixPermissions]
    #expect(access as? Int == 0o700)
    try FileManager.default.removeItem(at: new)
    let location = "http://h/b?code=secret&c=1"
    let recorder = try RecordingTransport(
      ScriptedTransport { $0.respond(302, headers: ["Location": location]) }, folder: folder.url)
    func request(token: String) -> TransportRequest {
      TransportRequest(
        method: .post, url: "http://me:secret@h/a?access_token=\(token)&b=1",
        headers: ["Authorization": "Bearer secret"], body: .data(Data("password=secret".utf8)))
    }
    #expect(await recorder.exchange(request(token: "secret")).error == nil)
    let name = try #require(folder.names.first)
    #expect(folder.names.count == 1)
    let text = try String(contentsOf: folder.file(name), encoding: .utf8)
    #expect(text.contains("\"statusCode\" : 302"))
    #expect(!text.contains("secret"))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name).path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // A later run has another token.
    let replay = try ReplayTransport(folder: folder.url)
    let events = await replay.exchange(request(token: "other"))
    #expect(events.error == nil)
    #expect(events.head?.url == request(token: "other").url)
    #expect(events.head?.headers["Location"] == "http://h/b?code=<redacted>&c=1")
    var other = request(token: "secret")
    other.body = .data(Data("password=other".utf8))
    #expect(
      await replay.exchange(other).error
        == .notRecorded(method: "POST", url: "http://<redacted>@h/a?access_token=<redacted>&b=1"))
  }

  @Test("each of many requests has a file with a name of its own, from the whole digest")
  func names() async throws {
    let folder = try TemporaryFolder()
    let transport = ScriptedTransport { $0.respond(200, $0.request.url) }
    let recorder = try RecordingTransport(transport, folder: folder.url)
    let requests = (0..<300).map { TransportRequest(url: "http://h/\($0)") }
    for request in requests { #expect(await recorder.exchange(request).error == nil) }
    let names = folder.names
    #expect(names.count == 300)
    #expect(names.allSatisfy { $0.count == 64 + "-0.json".count && $0.hasSuffix("-0.json") })
    let replay = try ReplayTransport(folder: folder.url)
    for request in requests { #expect(await replay.exchange(request).body == Data(request.url.utf8)) }
  }

  @Test("a folder with a recording is refused, and the recording stays as it is")
  func secondRecording() async throws {
    let folder = try TemporaryFolder()
    let request = TransportRequest(url: "http://h/")
    let first = try RecordingTransport(ScriptedTransport { $0.respond(200, "1") }, folder: folder.url)
    for _ in 0..<2 { #expect(await first.exchange(request).error == nil) }
    let names = folder.names
    #expect(throws: RecordingError.alreadyRecorded(path: folder.url.path)) {
      try RecordingTransport(ScriptedTransport(), folder: folder.url)
    }
    #expect(folder.names == names)
  }

  @Test("two recordings that use a folder at once do not overwrite one another's responses")
  func simultaneousRecordings() async throws {
    let folder = try TemporaryFolder()
    let recorders = try ["1", "2"].map { body in
      try RecordingTransport(ScriptedTransport { $0.respond(200, body) }, folder: folder.url)
    }
    let request = TransportRequest(url: "http://h/")
    #expect(await recorders[0].exchange(request).error == nil)
    let name = try #require(folder.names.first)
    guard case .other(0, let reason)? = await recorders[1].exchange(request).error else {
      Issue.record("the second response was written")
      return
    }
    #expect(
      reason == "\(folder.file(name).path.debugDescription) may belong to another recording. "
        + "Remove that, or record to another folder.")
    #expect(folder.names == [name])
    #expect(await (try ReplayTransport(folder: folder.url)).exchange(request).body == Data("1".utf8))
  }

  @Test("failures are not recorded")
  func failures() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { _ in .close }
    _ = await NetworkProvider<LoopbackTarget>(
      transport: try RecordingTransport(URLSessionTransport(), folder: folder.url)
    ).result(LoopbackTarget(server))
    #expect(folder.names.isEmpty)
  }

  @Test("a missing folder and a file that is not a recording are rejected by name")
  func unreadable() throws {
    let folder = try TemporaryFolder()
    #expect(throws: RecordingError.self) { try ReplayTransport(folder: folder.file("none")) }
    let file = try folder.file("a.json", containing: Data("{}".utf8))
    do throws(RecordingError) {
      _ = try ReplayTransport(folder: folder.url)
      Issue.record("an empty object is no recording")
    } catch {
      guard case .cannotRead(let path, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(path.hasSuffix(file.lastPathComponent))
    }
  }

  @Test("an incomplete response is not recorded")
  func truncated() async throws {
    let folder = try TemporaryFolder()
    let broken = ScriptedTransport { transfer in
      transfer.send(
        .head(ResponseHead(statusCode: 200, url: transfer.request.url, headers: [:])), .body(Data("ha".utf8)),
        .finished(.truncatedBody(reason: "cut")))
    }
    let recorder = try RecordingTransport(broken, folder: folder.url)
    #expect(await recorder.exchange(.init(url: "http://h/")).error == .truncatedBody(reason: "cut"))
    #expect(folder.names.isEmpty)
  }

  @Test(
    "a response that cannot be written is an error that names the file; an invalid folder is rejected"
  )
  func unwritable() async throws {
    let folder = try TemporaryFolder()
    let recorder = try RecordingTransport(ScriptedTransport { $0.respond() }, folder: folder.url)
    try FileManager.default.removeItem(at: folder.url)
    let events = await recorder.exchange(.init(url: "http://h/"))
    guard case .other(_, let reason)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(events.errors.count == 1)
    #expect(reason.contains(folder.url.lastPathComponent))
    #expect(FileManager.default.createFile(atPath: folder.url.path, contents: nil))
    #expect(throws: RecordingError.self) {
      try RecordingTransport(ScriptedTransport(), folder: folder.file("sub"))
    }
  }

  @Test("field names to omit are compared case-insensitively, and other files in the folder are ignored")
  func omitted() async throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("notes.txt", containing: Data("mine".utf8))
    let scripted = ScriptedTransport {
      $0.respond(headers: ["X-Token": "secret", "Set-Cookie": "kept", "X-Auth-Token": "s3cret"])
    }
    let recorder = try RecordingTransport(scripted, folder: folder.url, omitting: ["x-token"])
    let request = TransportRequest(url: "http://h/")
    // During the recording, the request receives the whole response.
    #expect(await recorder.exchange(request).head?.headers["X-Token"] == "secret")
    let replayed = await (try ReplayTransport(folder: folder.url)).exchange(request)
    #expect(replayed.error == nil)
    #expect(replayed.head?.headers == ["Set-Cookie": "kept", "X-Auth-Token": "<redacted>"])
  }

  @Test("a replay has all fields of a name")
  func repeatedFields() async throws {
    let folder = try TemporaryFolder()
    let links = ["a", "b"].map { HTTPHeader(name: "Link", value: $0) }
    let wire = ScriptedTransport { $0.respond(headers: HTTPHeaders(received: links)) }
    let request = TransportRequest(url: "http://h/")
    #expect(await (try RecordingTransport(wire, folder: folder.url)).exchange(request).error == nil)
    let head = await (try ReplayTransport(folder: folder.url)).exchange(request).head
    #expect(head?.headers.map(\.description) == ["Link: a", "Link: b"])
  }

  @Test("after a redirect, a replay has the URL that responded")
  func redirectedURL() async throws {
    let folder = try TemporaryFolder()
    let wire = ScriptedTransport {
      $0.send(.head(ResponseHead(statusCode: 200, url: "http://h/b", headers: [:])), .finished(nil))
    }
    let request = TransportRequest(url: "http://h/a")
    #expect(await (try RecordingTransport(wire, folder: folder.url)).exchange(request).error == nil)
    #expect(await (try ReplayTransport(folder: folder.url)).exchange(request).head?.url == "http://h/b")
  }

  @Test(
    "a recorded link with a secret leads to the next recorded page",
    arguments: ["http://h", "http://u:p@h", ""])
  func secretLink(base: String) async throws {
    let folder = try TemporaryFolder()
    let wire = ScriptedTransport { transfer in
      guard transfer.request.url.hasSuffix("/items") else { return transfer.respond(200, "last") }
      transfer.respond(headers: ["Link": "<\(base)/items?page=2&token=s>; rel=\"next\", </>; rel=first"])
    }
    let recorder = try RecordingTransport(wire, folder: folder.url)
    for url in ["http://h/items", "\(base.isEmpty ? "http://h" : base)/items?page=2&token=s"] {
      #expect(await recorder.exchange(.init(url: url)).error == nil)
    }
    let replay = try ReplayTransport(folder: folder.url)
    let target = LoopbackTarget(URL(staticString: "http://h"), "/items")
    let first = try await NetworkProvider<LoopbackTarget>(transport: replay).result(target).get()
    let next = try #require(first.links["next"])
    #expect(await replay.exchange(.init(url: next.absoluteString)).body == Data("last".utf8))
    #expect(first.links["first"]?.absoluteString == "http://h/")
  }

  @Test("a cancelled replay delivers no more of the response")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    let request = TransportRequest(url: "http://h/")
    let recorder = try RecordingTransport(ScriptedTransport { $0.respond(200, "body") }, folder: folder.url)
    #expect(await recorder.exchange(request).error == nil)
    let replay = try ReplayTransport(folder: folder.url)
    let token = Lock<(any Cancellable)?>(nil)
    let isSet = DispatchSemaphore(value: 0)
    let given = TransferRecorder()
    let first = replay.start(request) { event in
      if case .head = event {
        isSet.wait()
        let transfer = token.withLock { $0 }
        transfer?.cancel()
      }
      given.record(event)
    }
    token.withLock { $0 = first }
    // Queued after the first one, which is waiting.
    let (second, queued) = replay.record(request)
    second.cancel()
    isSet.signal()
    let events = await given.waitForEnd()
    #expect(events.error == .cancelled)
    #expect(events.heads == 1)
    #expect(events.pieces.isEmpty)
    let never = await queued.waitForEnd()
    #expect(never.error == .cancelled)
    #expect(never.heads == 0)
  }

  @Test("a replay rejects requests that no transport can send")
  func refused() async throws {
    let folder = try TemporaryFolder()
    let recorder = try RecordingTransport(ScriptedTransport { $0.respond() }, folder: folder.url)
    #expect(await recorder.exchange(.init(url: "http://h/")).error == nil)
    let replay = try ReplayTransport(folder: folder.url)
    #expect(await replay.exchange(.init(url: "http://h/")).error == nil)
    #expect(
      await replay.exchange(.init(url: "file:///etc/passwd")).error == .unsupportedURL("file:///etc/passwd"))
    #expect(
      await replay.exchange(.init(url: "http://h/", headers: ["X": "a\r\nb"])).error
        == .invalidField(name: "X", value: "a\r\nb"))
  }

  @Test("plugins see the header fields of the recorded transport")
  func defaultHeaders() throws {
    let folder = try TemporaryFolder()
    let recorded = ScriptedTransport(defaultHeaders: ["X": "y"])
    #expect(try RecordingTransport(recorded, folder: folder.url).defaultHeaders == ["X": "y"])
  }
}
