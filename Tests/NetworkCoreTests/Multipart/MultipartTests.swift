import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Multipart", .timeLimit(.minutes(5)))
struct MultipartTests {
  private func send(
    _ form: MultipartFormData, method: HTTPMethod = .post
  ) async throws -> (result: Result<Response, NetworkError>, request: LoopbackServer.Request?) {
    let server = try LoopbackServer { _ in .status(200) }
    let target = LoopbackTarget(server).with {
      $0.method = method
      $0.task = .uploadMultipartFormData(form)
    }
    let result = await NetworkProvider<LoopbackTarget>().result(target)
    return (result, server.log.requests.first)
  }

  private func provider(_ row: JSONValue, _ folder: TemporaryFolder) throws
    -> MultipartFormData.FormDataProvider
  {
    guard let name = row.file.string else { return .data(Data((row.data.string ?? "").utf8)) }
    return .file(try folder.file(name, containing: Data((row.fileContent.string ?? "").utf8)))
  }

  @Test("matches the test vectors", arguments: TestVector.rows(of: "multipart"))
  func row(_ vector: TestVector) async throws {
    if let method = vector.input.method.string {
      #expect(HTTPMethod(rawValue: method).supportsMultipart == vector.expected.bool)
    } else if let sizes = vector.input.parts.array?.compactMap(\.bytes.int), !sizes.isEmpty {
      let parts = sizes.map { MultipartFormBodyPart(provider: .data(Data(count: $0)), name: "a") }
      #expect(MultipartFormData(parts: parts).contentLength.map { Int($0) } == vector.expected.int)
    } else if vector.input.parts.array != nil {
      try await body(vector)
    } else {
      let boundary = try #require(vector.input.boundary.string)
      #expect(MultipartFormData(boundary: boundary, parts: []).contentType == vector.expected.string)
    }
  }

  private func body(_ vector: TestVector) async throws {
    let folder = try TemporaryFolder()
    let rows = try #require(vector.input.parts.array)
    let parts = try rows.map { row in
      MultipartFormBodyPart(
        provider: try provider(row, folder), name: row["name"].string ?? "", fileName: row.fileName.string,
        mimeType: row.mimeType.string)
    }
    let (_, request) = try await send(MultipartFormData(boundary: vector.input.boundary.string, parts: parts))
    #expect(request?.text == vector.expected.string)
    #expect(request?.headers["Content-Type"] == "multipart/form-data; boundary=BOUNDARY")
  }

  @Test("a form that cannot be sent is an error that names the reason")
  func refusals() async throws {
    let part = MultipartFormBodyPart(provider: .data(Data()), name: "a")
    func forged(_ name: String, fileName: String? = nil, mimeType: String? = nil) -> MultipartFormData {
      [MultipartFormBodyPart(provider: .data(Data()), name: name, fileName: fileName, mimeType: mimeType)]
    }
    let long = String(repeating: "b", count: 70)
    for (form, method, expected) in [
      (MultipartFormData(parts: []), .post, .noParts), ([part], .get, .unsupportedMethod(.get)),
      (MultipartFormData(boundary: "a\"", parts: [part]), .post, .invalidBoundary("a\"")),
      (MultipartFormData(boundary: "", parts: [part]), .post, .invalidBoundary("")),
      (MultipartFormData(boundary: "a ", parts: [part]), .post, .invalidBoundary("a ")),
      (MultipartFormData(boundary: long + "b", parts: [part]), .post, .invalidBoundary(long + "b")),
      (forged("a\r\nb"), .post, .invalidField("name", value: "a\r\nb")),
      (forged("a", fileName: "b\u{0}"), .post, .invalidField("fileName", value: "b\u{0}")),
      (forged("a", mimeType: "b/c\r\nd"), .post, .invalidField("mimeType", value: "b/c\r\nd")),
      (forged("a", mimeType: "b/c\u{7F}"), .post, .invalidField("mimeType", value: "b/c\u{7F}")),
    ] as [(MultipartFormData, HTTPMethod, MultipartError)] {
      guard
        case .failure(.parameterEncoding(let error as MultipartError)) = try await send(form, method: method)
          .result
      else {
        Issue.record("\(expected)")
        continue
      }
      #expect(error == expected)
    }
    #expect(try await send(MultipartFormData(boundary: long, parts: [part])).result.summary == "200")
    let missing = MultipartFormBodyPart(provider: .file(URL(fileURLWithPath: "/nowhere/x")), name: "a")
    guard case .failure(let error) = try await send([missing]).result,
      case .cannotReadFile? = error.transferError
    else {
      Issue.record("a missing file was sent")
      return
    }
  }

  @Test("a boundary is quoted if it has characters that a token may not have")
  func quoting() {
    for (marks, isQuoted) in [("(),/:=? ", true), ("'+_-.", false)] {
      for mark in marks {
        let type = MultipartFormData(boundary: "a\(mark)b", parts: []).contentType
        #expect(type == "multipart/form-data; boundary=" + (isQuoted ? "\"a\(mark)b\"" : "a\(mark)b"))
      }
    }
  }

  @Test(
    "a boundary may have every character that RFC 2046 allows, and no other",
    arguments: [
      ("09AZaz'()+_,-./:=? x", true), ("\u{E4}", false), ("a\u{660}", false), ("a*", false), ("a\tb", false),
    ])
  func boundaryCharacters(boundary: String, isAllowed: Bool) {
    let part = MultipartFormBodyPart(provider: .data(Data()), name: "a")
    let body = try? MultipartFormData(boundary: boundary, parts: [part]).body(for: .post)
    #expect((body != nil) == isAllowed)
  }

  @Test("names are escaped, and a stream of unknown length is sent in chunks")
  func streams() async throws {
    let stream = BodyStream(pieces: [Data("ab".utf8), Data("c".utf8)])
    let form = MultipartFormData(
      boundary: "a b",
      parts: [
        MultipartFormBodyPart(provider: .stream(stream), name: "q\"", fileName: "x\r\ny", mimeType: "a/b")
      ])
    let (_, request) = try await send(form)
    #expect(
      request?.text
        == "--a b\r\nContent-Disposition: form-data; name=\"q%22\"; filename=\"x%0D%0Ay\"\r\n"
        + "Content-Type: a/b\r\n\r\nabc\r\n--a b--\r\n")
    #expect(request?.headers["Content-Type"] == "multipart/form-data; boundary=\"a b\"")
    #expect(request?.headers["Transfer-Encoding"] == "chunked")
    #expect(MultipartFormData(parts: form.parts).contentLength == nil)
    #expect(
      MultipartFormData(parts: [MultipartFormBodyPart(provider: .data(Data(count: 27)), name: "a")])
        .contentLength == 27)
    let endless = MultipartFormData.FormDataProvider.stream(InputStream(data: Data()), .max)
    #expect(
      MultipartFormData(parts: (0..<3).map { .init(provider: endless, name: "\($0)") }).contentLength == nil)
  }

  @Test("each form has another random boundary, which a copy with more parts keeps")
  func randomBoundaries() {
    let forms = (0..<100).map { _ in MultipartFormData(parts: []) }
    #expect(Set(forms.map(\.contentType)).count == 100)
    #expect(forms.allSatisfy { $0.boundary == nil })
    var copy = forms[0]
    copy.parts.append(MultipartFormBodyPart(provider: .data(Data()), name: "a"))
    #expect(copy.contentType == forms[0].contentType)
  }

  @Test("forms are equal if they have the same parts and the same chosen boundary")
  func equality() {
    let part = MultipartFormBodyPart(provider: .data(Data()), name: "a")
    let form = MultipartFormData(parts: [part])
    let chosen = MultipartFormData(boundary: "B", parts: [part])
    #expect(form == MultipartFormData(parts: [part]))
    #expect(Set([form, MultipartFormData(parts: [part])]).count == 1)
    #expect(form != MultipartFormData(parts: [part, part]))
    #expect(form != chosen)
    #expect(chosen == MultipartFormData(boundary: "B", parts: [part]))
  }

  @Test("a form with a file announces its length")
  func lengthWithFile() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("a.txt", containing: Data("from a file".utf8))
    let parts = [MultipartFormBodyPart(provider: .file(file), name: "a")]
    let (_, request) = try await send(MultipartFormData(parts: parts))
    let sent = try #require(request)
    #expect(sent.text.contains("from a file"))
    #expect(sent.headers["Content-Length"] == "\(sent.text.utf8.count)")
  }

  /// Reads one byte, and logs its beginning and its end.
  private final class LoggedReader: BodyReader {
    private let name: String
    private let log: Log
    private var isAtEnd = false

    init(_ name: String, _ log: Log) {
      (self.name, self.log) = (name, log)
      log("opens \(name)")
    }

    deinit { log("releases \(name)") }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      guard !isAtEnd else { return 0 }
      isAtEnd = true
      buffer[0] = UInt8(ascii: "x")
      return 1
    }
  }

  @Test("the reader of a part is released before the next one is opened")
  func releasedReaders() throws {
    let log = Log()
    let parts = ["a", "b"].map { name in
      let content = BodyStream.Content(length: nil) { _ in LoggedReader(name, log) }
      return MultipartFormBodyPart(provider: .stream(BodyStream(content, isRepeatable: true)), name: name)
    }
    let stream = try MultipartFormData(boundary: "B", parts: parts).body(for: .post)
    let opened = try stream.open(try stream.prepare()) {}
    guard let reader = opened else {
      Issue.record("the body was not opened")
      return
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      guard let count, count > 0 else { break }
      bytes += buffer[..<count]
    }
    #expect(bytes.count { $0 == UInt8(ascii: "x") } == 2)
    #expect(log.all == ["opens a", "releases a", "opens b", "releases b"])
  }

  @Test("the length of a body is not known if no integer holds it")
  func endlessLength() throws {
    let endless = BodyStream(length: Int64.max) { _ in throw CancellationError() }
    let form = MultipartFormData(parts: [MultipartFormBodyPart(provider: .stream(endless), name: "a")])
    #expect(form.contentLength == UInt64(Int64.max))
    #expect(try form.body(for: .post).length == nil)
  }

  @Test("plugins see the form's content type instead of the target's, and may replace it")
  func contentType() {
    struct ContentTypeLogger: PluginType {
      let log: Log
      var replacement: String?
      func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        log("prepare \(request.headers["Content-Type"] ?? "-")")
        var request = request
        if let replacement { request.headers["Content-Type"] = replacement }
        return request
      }
      func willSend(_ request: any RequestType, target: any TargetType) {
        log("willSend \(request.request?.headers["Content-Type"] ?? "-")")
      }
    }
    let form = MultipartFormData(
      boundary: "B", parts: [MultipartFormBodyPart(provider: .data(Data("x".utf8)), name: "a")])
    let target = LoopbackTarget(URL(staticString: "http://h")).with {
      $0.method = .post
      $0.task = .uploadMultipartFormData(form)
      $0.headers = ["content-type": "multipart/form-data"]
    }
    for (replacement, expected) in [
      (nil, "multipart/form-data; boundary=B"),
      ("multipart/mixed; boundary=B", "multipart/mixed; boundary=B"),
    ] as [(String?, String)] {
      let log = Log()
      let transport = ScriptedTransport { $0.respond() }
      NetworkProvider<LoopbackTarget>(
        transport: transport, plugins: [ContentTypeLogger(log: log, replacement: replacement)]
      ).request(target) { _ in }
      #expect(log.all == ["prepare multipart/form-data; boundary=B", "willSend \(expected)"])
      #expect(transport.transfers.map { $0.request.headers["Content-Type"] } == [expected])
    }
  }

  @Test("a retry sends the whole form again, unless it contains a stream that can be read only once")
  func retries() async throws {
    let server = try LoopbackServer { $0.text.contains("x") ? .status(503) : .status(400) }
    let retry = RetryPolicy(
      retryLimit: 2, exponentialBackoffScale: 0, retryableHTTPMethods: [.post], jitter: 0)
    let provider = NetworkProvider<LoopbackTarget>(interceptors: [retry])
    for (content, count) in [
      (MultipartFormData.FormDataProvider.data(Data("x".utf8)), 3),
      (.stream(InputStream(data: Data("x".utf8)), 1), 1),
    ] {
      let before = server.log.requestCount
      let target = LoopbackTarget(server).with {
        $0.method = .post
        $0.task = .uploadMultipartFormData([MultipartFormBodyPart(provider: content, name: "a")])
      }
      #expect(await provider.result(target).summary == "503")
      #expect(server.log.requestCount - before == count)
    }
  }
}
