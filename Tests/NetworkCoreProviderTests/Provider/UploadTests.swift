import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Uploads through a provider", .timeLimit(.minutes(5)))
struct UploadTests {
  /// The content that is sent, and the body that the server must receive.
  private enum UploadContent: CaseIterable, CustomTestStringConvertible {
    case data
    case file
    case stream
    case streamOfUnknownLength
    case inputStream

    var testDescription: String { "\(self)" }

    func task(_ data: Data, _ folder: TemporaryFolder) throws -> HTTPTask {
      switch self {
      case .data: .uploadData(data)
      case .file: .uploadFile(try folder.file(containing: data))
      case .stream: .uploadStream(BodyStream(pieces: pieces(data), length: Int64(data.count)))
      case .streamOfUnknownLength: .uploadStream(BodyStream(pieces: pieces(data)))
      case .inputStream: .uploadStream(InputStream(data: data), length: Int64(data.count))
      }
    }

    private func pieces(_ data: Data) -> [Data] {
      [data.prefix(7), data.dropFirst(7)].filter { !$0.isEmpty }
    }
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func target(_ server: LoopbackServer, _ task: HTTPTask, _ method: HTTPMethod = .put)
    -> LoopbackTarget
  {
    LoopbackTarget(server).with {
      $0.method = method
      $0.task = task
      $0.headers = ["Content-Type": "application/x-test"]
    }
  }

  @Test(
    "everything arrives byte for byte, with the target's fields", arguments: TransportKind.allCases,
    UploadContent.allCases)
  private func contents(kind: TransportKind, content: UploadContent) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    for count in [0, 1, 300_000] {
      let data = Data(Data.megabyte.prefix(count))
      let result = await provider.result(target(server, try content.task(data, folder)))
      #expect(result.summary == "200")
      let request = try #require(server.log.requests.last)
      let isWhole = request.body == data
      #expect(isWhole, "\(request.body.count) of \(count) bytes")
      #expect(request.method == "PUT")
      #expect(request.headers["Content-Type"] == "application/x-test")
    }
  }

  @Test(
    "the progress of the upload increases, and the last progress has the response",
    arguments: UploadContent.allCases)
  private func progress(content: UploadContent) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let data = Data.megabyte
    let target = target(server, try content.task(data, folder))
    let seen = Lock([ProgressResponse]())
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    let result = await withCheckedContinuation { done in
      provider.request(target, progress: { step in seen.withLock { $0.append(step) } }) {
        done.resume(returning: $0)
      }
    }
    #expect(result.summary == "200")
    let all = seen.withLock { $0 }
    let sent = all.filter { !$0.completed }
    #expect(all.count == sent.count + 1)
    #expect(all.last?.response?.statusCode == 200)
    #expect(all.last?.completedUnitCount == Int64(data.count))
    #expect(!sent.isEmpty)
    let counts = sent.map(\.completedUnitCount)
    #expect(counts == counts.sorted() && Set(counts).count == counts.count)
    #expect(counts.allSatisfy { (0...Int64(data.count)).contains($0) })
    let total = content == .streamOfUnknownLength ? 0 : Int64(data.count)
    #expect(all.allSatisfy { $0.totalUnitCount == total })
  }

  @Test("the progress of a stubbed upload counts the request body", arguments: ["ok", ""])
  func stubbedProgress(answer: String) throws {
    let data = Data(count: 100_000)
    let parts = [
      MultipartFormBodyPart(provider: .data(data), name: "a"),
      MultipartFormBodyPart(provider: .file(try folder.file(containing: data)), name: "b"),
    ]
    var tasks: [HTTPTask] = [
      .requestData(data), .uploadMultipartFormData(MultipartFormData(parts: parts)),
      .uploadMultipartFormData(MultipartFormData(parts: [parts[0]])),
    ]
    for content in UploadContent.allCases where content != .streamOfUnknownLength {
      tasks.append(try content.task(data, folder))
    }
    for task in tasks {
      let stubs = StubTable<LoopbackTarget>()
      stubs.add(path: "/", [.networkResponse(200, Data(answer.utf8))])
      let target = LoopbackTarget(URL(staticString: "http://h")).with {
        $0.method = .put
        $0.task = task
      }
      let counts = Lock([Int64]())
      NetworkProvider<LoopbackTarget>(transport: ScriptedTransport(), stubs: stubs).request(
        target, progress: { step in counts.withLock { $0.append(step.completedUnitCount) } },
        completion: { _ in })
      let seen = counts.withLock { $0 }
      #expect(seen.count == 2 && Set(seen).count == 1 && seen.allSatisfy { $0 >= 100_000 }, "\(seen)")
    }
  }

  @Test(
    "a stream that is shorter or longer than announced fails the request", arguments: TransportKind.allCases,
    [2, 4] as [Int64])
  func wrongLength(kind: TransportKind, announced: Int64) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let alone = HTTPTask.uploadStream(
      BodyStream(pieces: [Data("abc".utf8)], length: announced, gaps: false))
    let part = HTTPTask.uploadMultipartFormData([
      MultipartFormBodyPart(
        provider: .stream(InputStream(data: Data("abc".utf8)), UInt64(announced)), name: "a")
    ])
    for task in [alone, part] {
      let result = await provider.result(target(server, task, .post))
      guard case .failure(let error) = result, case .wrongBodyLength(announced, _)? = error.transferError
      else {
        Issue.record("\(result)")
        continue
      }
    }
    #expect(server.log.answered == 0)
  }

  @Test(
    "a folder or a missing file fails with an error that names it, and nothing is sent",
    arguments: TransportKind.allCases,
    ["folder", "missing"])
  func unreadable(kind: TransportKind, name: String) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let file = folder.file(name)
    if name == "folder" {
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    }
    let form: MultipartFormData = [MultipartFormBodyPart(provider: .file(file), name: "a")]
    for task in [HTTPTask.uploadFile(file), .uploadMultipartFormData(form)] {
      let result = await provider.result(target(server, task, .post))
      guard case .failure(let error) = result, case .cannotReadFile(let path, _)? = error.transferError else {
        Issue.record("\(result)")
        continue
      }
      #expect(path == file.path)
    }
    #expect(server.log.requestCount == 0)
  }

  @Test(
    "the parts of a form with data, a file and a stream arrive in order, with a query",
    arguments: TransportKind.allCases)
  func form(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let file = try folder.file("picture.png", containing: Data("PNG".utf8))
    let form = MultipartFormData(
      boundary: "B",
      parts: [
        MultipartFormBodyPart(provider: .data(Data("text".utf8)), name: "title"),
        MultipartFormBodyPart(provider: .file(file), name: "picture"),
        MultipartFormBodyPart(
          provider: .stream(InputStream(data: Data("log".utf8)), 3), name: "log", fileName: "log.txt",
          mimeType: "text/plain"),
      ])
    let task = HTTPTask.uploadCompositeMultipartFormData(form, urlParameters: ["a": "b c"])
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    #expect(await provider.result(target(server, task, .post)).summary == "200")
    let request = try #require(server.log.requests.first)
    #expect(request.target == "/?a=b%20c")
    #expect(request.headers["Content-Type"] == "multipart/form-data; boundary=B")
    #expect(
      request.text == """
        --B\r
        Content-Disposition: form-data; name="title"\r
        \r
        text\r
        --B\r
        Content-Disposition: form-data; name="picture"; filename="picture.png"\r
        Content-Type: image/png\r
        \r
        PNG\r
        --B\r
        Content-Disposition: form-data; name="log"; filename="log.txt"\r
        Content-Type: text/plain\r
        \r
        log\r
        --B--\r

        """)
  }

  @Test(
    "files have the type of their extension in any case, or application/octet-stream if it is unknown",
    arguments: [
      ("a.JPG", "image/jpeg"), ("a.svg", "image/svg+xml"), ("a.tar.gz", "application/gzip"),
      ("a.json", "application/json"), ("a.unheard-of", "application/octet-stream"),
      ("a", "application/octet-stream"), (".json", "application/octet-stream"),
    ])
  func types(name: String, type: String) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let file = try folder.file(name, containing: Data())
    let task = HTTPTask.uploadMultipartFormData([MultipartFormBodyPart(provider: .file(file), name: "a")])
    #expect(await NetworkProvider<LoopbackTarget>().result(target(server, task, .post)).summary == "200")
    #expect(server.log.requests.first?.text.contains("\r\nContent-Type: \(type)\r\n\r\n") == true)
  }

  @Test("the system's table is parsed correctly; the first type of an extension applies")
  func systemTable() {
    let table = MediaType.types(
      inFile: """
        # a comment
        application/x-first\t\tone TWO # and another
        application/x-second one three

        nothing four
        text/plain
        """)
    #expect(
      table == ["one": "application/x-first", "two": "application/x-first", "three": "application/x-second"])
  }

  private static let systemTypes = MediaType.types(
    inFile: (try? String(contentsOfFile: "/etc/mime.types", encoding: .utf8)) ?? "")

  @Test(
    "an extension that only the system's table contains is found there",
    .enabled(if: systemTypes["pdb"] != nil))
  func systemType() {
    #expect(MediaType.ofFile(extension: "PDB") == Self.systemTypes["pdb"])
  }
}
