import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The partial file of a download", .timeLimit(.minutes(5)))
struct ResumableFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let tag: HTTPHeaders = ["ETag": "\"v1\""]
  private let kept = ["file.part", "file.part.json"]

  /// Downloads to the file; returns the result and the request that was sent.
  private func download(
    accepting validation: ValidationType = .none, headers: [String: String]? = nil,
    _ answer: @escaping @Sendable (ScriptedTransport.Transfer) -> Void
  ) async -> (result: Result<Response, NetworkError>, request: TransportRequest?) {
    let transport = ScriptedTransport(onStart: answer)
    let target = LoopbackTarget(URL(staticString: "http://h")).with {
      $0.task = .downloadResumable(to: folder.file())
      $0.validationType = validation
      $0.headers = headers
    }
    let result = await NetworkProvider<LoopbackTarget>(transport: transport).result(target)
    return (result, transport.transfers.first?.request)
  }

  /// Starts a download that fails after four bytes.
  private func begin(_ headers: HTTPHeaders) async {
    let (result, _) = await download {
      $0.send(
        .head(ResponseHead(statusCode: 200, url: "http://h", headers: headers)), .body(Data("0123".utf8)),
        .finished(.connectionLost(reason: "r")))
    }
    #expect(throws: NetworkError.self) { try result.get() }
  }

  @Test("a compressed body is not kept, because ranges would count other bytes")
  func packed() async {
    await begin(["ETag": "\"v1\"", "Content-Encoding": "gzip"])
    #expect(folder.names.isEmpty)
  }

  @Test("a compressed rest is an error")
  func packedRest() async {
    await begin(Self.tag)
    #expect(folder.names == kept)
    let (result, _) = await download {
      $0.respond(206, headers: ["Content-Range": "bytes 4-9/10", "Content-Encoding": "gzip"], "456789")
    }
    #expect(result.downloadError == .wrongRange(asked: "bytes=4-", received: "bytes 4-9/10"))
    #expect(folder.names.isEmpty)
  }

  @Test("a Last-Modified is strong if the response is a second newer", arguments: [(26, false), (27, true)])
  func lastModified(second: Int, isStrong: Bool) async {
    await begin([
      "Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT", "Date": "Tue, 15 Nov 1994 12:45:\(second) GMT",
    ])
    #expect(folder.names == (isStrong ? kept : []))
  }

  @Test(
    "a download starts from the beginning if the partial file is empty or longer than the whole file",
    arguments: [(0, nil), (10, "bytes=10-"), (11, nil)] as [(Int, String?)])
  func sizes(count: Int, range: String?) async throws {
    await begin(["ETag": "\"v1\"", "Content-Length": "10"])
    try #require(folder.names == kept)
    _ = try folder.file("file.part", containing: Data(count: count))
    let (result, request) = await download { transfer in
      if transfer.request.headers["Range"] == nil {
        transfer.respond(200, "0123456789")
      } else {
        transfer.respond(416, headers: ["Content-Range": "bytes */10"])
      }
    }
    #expect(request?.headers["Range"] == range)
    #expect(try result.get().fileURL == folder.file())
    #expect(try Data(contentsOf: folder.file()).count == 10)
  }

  @Test(
    "a 416 without a size completes a file of which the announced size has arrived", arguments: ["10", nil])
  func silentRefusal(length: String?) async throws {
    var fields: HTTPHeaders = ["ETag": "\"v1\""]
    if let length { fields["Content-Length"] = length }
    await begin(fields)
    try #require(folder.names == kept)
    _ = try folder.file("file.part", containing: Data(count: 10))
    let (result, request) = await download { $0.respond(416) }
    #expect(request?.headers["Range"] == "bytes=10-")
    if length == nil {
      #expect(result.downloadError == .wrongRange(asked: "bytes=10-", received: nil))
      #expect(folder.names.isEmpty)
    } else {
      #expect(try result.get().fileURL == folder.file())
      #expect(try Data(contentsOf: folder.file()).count == 10)
    }
  }

  @Test("the response of a file that was already complete has the request that was sent")
  func requestOfCompleteFile() async throws {
    await begin(Self.tag)
    let (result, _) = await download { $0.respond(416, headers: ["Content-Range": "bytes */4"]) }
    let request = try result.get().request
    #expect(request?.value(forHTTPHeaderField: "Range") == "bytes=4-")
  }

  @Test("the response of a file that was already complete has the URL and the fields that the server sent")
  func headOfCompleteFile() async throws {
    await begin(Self.tag)
    let (result, _) = await download {
      let headers: HTTPHeaders = ["Content-Range": "bytes */4", "X-A": "b"]
      $0.send(
        .head(ResponseHead(statusCode: 416, url: "http://other/file", headers: headers)), .finished(nil))
    }
    let response = try result.get()
    #expect(response.url?.absoluteString == "http://other/file")
    #expect(response.headers["X-A"] == "b")
  }

  @Test("a 416 with a part does not complete a file")
  func refusedPart() async {
    await begin(Self.tag)
    let (result, _) = await download { $0.respond(416, headers: ["Content-Range": "bytes 0-3/4"]) }
    #expect(result.downloadError == .wrongRange(asked: "bytes=4-", received: "bytes 0-3/4"))
    #expect(folder.names.isEmpty)
  }

  @Test("a part whose end no integer can hold is an error")
  func endlessPart() async {
    await begin(Self.tag)
    let range = "bytes 4-\(Int64.max)/*"
    let (result, _) = await download { $0.respond(206, headers: ["Content-Range": range], "456789") }
    #expect(result.downloadError == .wrongRange(asked: "bytes=4-", received: range))
    #expect(folder.names.isEmpty)
  }

  @Test("a part that ends behind the end of the whole is an error")
  func overlongPart() async {
    await begin(Self.tag)
    let range = "bytes 4-10/10"
    let (result, _) = await download { $0.respond(206, headers: ["Content-Range": range], "456789") }
    #expect(result.downloadError == .wrongRange(asked: "bytes=4-", received: range))
    #expect(folder.names.isEmpty)
  }

  @Test("a part that was not requested is not mistaken for the whole file")
  func unasked() async {
    let (result, request) = await download {
      $0.respond(206, headers: ["Content-Range": "bytes 0-3/10"], "0123")
    }
    #expect(request?.headers["Range"] == nil)
    #expect(result.downloadError == .wrongRange(asked: "none", received: "bytes 0-3/10"))
    #expect(folder.names.isEmpty)
  }

  @Test(
    "a target that accepts only 200 accepts the rest of its file",
    arguments: [("bytes 4-9/10", 206, "456789"), ("bytes */4", 416, "")])
  func onlyOK(range: String, status: Int, rest: String) async throws {
    await begin(Self.tag)
    let (result, _) = await download(accepting: .customCodes([200])) {
      $0.respond(status, headers: ["Content-Range": range, "Content-Type": "text/html"], rest)
    }
    #expect(try result.get().statusCode == 206)
    #expect(try Data(contentsOf: folder.file()) == Data(("0123" + rest).utf8))
  }

  @Test("a response with a media type that the target does not accept keeps the partial file")
  func otherMediaType() async {
    await begin(Self.tag)
    let transport = ScriptedTransport { $0.respond(headers: ["Content-Type": "text/html"], "<html>") }
    let target = LoopbackTarget(URL(staticString: "http://h")).with {
      $0.task = .downloadResumable(to: folder.file())
      $0.acceptableContentTypes = ["application/*"]
    }
    let result = await NetworkProvider<LoopbackTarget>(transport: transport).result(target)
    #expect(throws: NetworkError.self) { try result.get() }
    #expect(transport.transfers.first?.request.headers["Range"] == "bytes=4-")
    #expect(folder.names == kept)
    #expect((try? Data(contentsOf: folder.file("file.part"))) == Data("0123".utf8))
  }

  @Test("a 206 with the whole content is the whole file")
  func wholeRange() async throws {
    let (result, _) = await download(accepting: .customCodes([200])) {
      $0.respond(206, headers: ["Content-Range": "bytes 0-3/4"], "0123")
    }
    #expect(try result.get().fileURL == folder.file())
    #expect(try Data(contentsOf: folder.file()) == Data("0123".utf8))
  }

  @Test("a transfer coding decides how long the body is, not a Content-Length")
  func transferCoding() async throws {
    let (result, _) = await download {
      $0.respond(200, headers: ["Transfer-Encoding": "chunked", "Content-Length": "9"], "0123")
    }
    #expect(try result.get().fileURL == folder.file())
  }

  @Test("an existing file stays by default")
  func existing() async throws {
    _ = try folder.file(containing: Data("old".utf8))
    let (result, request) = await download { $0.respond(200, "new") }
    #expect(result.downloadError == .fileExists(path: folder.file().path))
    #expect(request == nil)
    let ending = CompletionStream()
    NetworkProvider<LoopbackTarget>(transport: ScriptedTransport { $0.respond(200, "new") }).download(
      LoopbackTarget(URL(staticString: "http://h")), to: folder.file(), completion: ending.completion)
    #expect(await ending.next().downloadError == .fileExists(path: folder.file().path))
    #expect(try Data(contentsOf: folder.file()) == Data("old".utf8))
  }

  @Test("a target with a Range of its own is refused before it is sent")
  func ownRange() async {
    let (result, request) = await download(headers: ["Range": "bytes=0-3"]) { $0.respond(206, "0123") }
    #expect(result.downloadError == .unexpectedRange("bytes=0-3"))
    #expect(request == nil)
    #expect(folder.names.isEmpty)
  }

  @Test("the unit of a range is not case-sensitive")
  func unit() async throws {
    await begin(Self.tag)
    let (result, _) = await download {
      $0.respond(206, headers: ["Content-Range": "Bytes 4-9/10"], "456789")
    }
    #expect(try result.get().statusCode == 206)
    #expect(try Data(contentsOf: folder.file()) == Data("0123456789".utf8))
  }

  @Test("a part of content that was modified meanwhile is an error")
  func modified() async {
    await begin([
      "Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT", "Date": "Tue, 15 Nov 1994 12:46:00 GMT",
    ])
    #expect(folder.names == kept)
    let (result, request) = await download {
      let later: HTTPHeaders = [
        "Content-Range": "bytes 4-9/10", "Last-Modified": "Tue, 15 Nov 1994 12:45:36 GMT",
      ]
      $0.respond(206, headers: later, "456789")
    }
    #expect(request?.headers["If-Range"] == "Tue, 15 Nov 1994 12:45:26 GMT")
    #expect(result.downloadError == .wrongRange(asked: "bytes=4-", received: "bytes 4-9/10"))
    #expect(folder.names.isEmpty)
  }

  @Test("a symbolic link to nothing at the destination is an existing file, so that nothing is sent")
  func danglingLink() async throws {
    try FileManager.default.createSymbolicLink(
      at: folder.file(), withDestinationURL: folder.file("nothing"))
    let (result, request) = await download { $0.respond(200, "new") }
    #expect(result.downloadError == .fileExists(path: folder.file().path))
    #expect(request == nil)
    #expect(folder.names == ["file"])
  }

  @Test("a symbolic link in place of the partial file is refused, and not followed")
  func link() async throws {
    let other = try folder.file("other", containing: Data("theirs".utf8))
    try FileManager.default.createSymbolicLink(at: folder.file("file.part"), withDestinationURL: other)
    let (result, request) = await download { $0.respond(200, "ours") }
    guard case .cannotWrite(folder.file("file.part").path, _)? = result.downloadError else {
      Issue.record("\(result)")
      return
    }
    #expect(request == nil)
    #expect(try Data(contentsOf: other) == Data("theirs".utf8))
  }
}
