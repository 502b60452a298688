import Foundation
import LoopbackServer
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// The examples in the article, about one service.
private struct Examples {
  let provider: NetworkProvider<Files>

  init(at server: LoopbackServer) {
    provider = NetworkProvider(at: server)
  }

  enum Files: TargetType {
    case image(String)
    case avatar(URL)
    case picture(URL, title: String)
    case log
    case news

    var baseURL: URL { URL(string: "https://files.example")! }

    var path: String {
      switch self {
      case .image(let name): "/images/\(name)"
      case .avatar: "/avatar"
      case .picture: "/pictures"
      case .log: "/log"
      case .news: "/news"
      }
    }

    var method: HTTPMethod {
      switch self {
      case .image, .log, .news: .get
      case .avatar: .put
      case .picture: .post
      }
    }

    var task: HTTPTask {
      switch self {
      case .image, .log, .news: .requestPlain
      case .avatar(let file): .uploadFile(file)
      case .picture(let file, let title):
        .uploadMultipartFormData([
          MultipartFormBodyPart(provider: .data(Data(title.utf8)), name: "title"),
          MultipartFormBodyPart(provider: .file(file), name: "picture"),
        ])
      }
    }
  }

  func download(_ name: String, to file: URL) -> Observable<Double> {
    provider.rx.download(.image(name), to: file, options: [.createIntermediateDirectories])
      .filterSuccessfulStatusCodes()
      .map(\.progress)
  }

  func patientDownload(_ name: String, to file: URL) -> Observable<Response> {
    provider.rx.download(.image(name), to: file)
      .filterSuccessfulStatusCodes()
      .retry(backoff: .exponential(initial: .milliseconds(100)), maxAttempts: 5)
      .filterCompleted()
  }

  func download(_ names: [String], into folder: URL) -> Observable<Response> {
    Observable.from(names).flatMap(maxConcurrent: 3) { name in
      patientDownload(name, to: folder.appending(path: name))
    }
  }

  func upload(_ file: URL) -> (bar: Observable<Double>, answer: Observable<Response>) {
    let upload = provider.rx.upload(.avatar(file)).share(replay: 1)
    return (bar: upload.filterProgress(), answer: upload.filterCompleted())
  }

  func lines() -> Observable<String> {
    provider.rx.lines(.log)
  }

  func news() -> Observable<String> {
    provider.rx.events(.news).filter { $0.event == "message" }.map(\.data)
  }

  func printLog() async throws {
    for try await line in provider.stream(.log).lines() { print(line) }
  }
}

@Suite("Examples in Uploads and downloads", .timeLimit(.minutes(5)))
struct UploadsAndDownloadsTests {
  /// A folder that is removed with the test.
  private final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "DocumentationTests-\(UUID())")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  @Test("a download reports its progress and stores the file")
  func download() async throws {
    let server = try LoopbackServer { _ in .text("a whole image") }
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "new/image")
    let progress = try await Array(Examples(at: server).download("harbour", to: file).values)
    #expect(progress.last == 1)
    #expect(try String(contentsOf: file, encoding: .utf8) == "a whole image")
  }

  @Test("a truncated download resumes where it stopped")
  func patience() async throws {
    let server = try LoopbackServer()
    server.route("/images/:name") { request in
      let answer = LoopbackServer.Reply.text("a whole image").header("ETag", "\"1\"")
      guard request.headers["Range"] == "bytes=7-" else { return answer.truncated(after: 7) }
      return .text(" image", status: 206).header("ETag", "\"1\"").header("Content-Range", "bytes 7-12/13")
    }
    let folder = try TemporaryFolder()
    let names = ["a", "b", "c", "d"]
    let answers = try await Array(Examples(at: server).download(names, into: folder.url).values)
    #expect(answers.compactMap(\.fileURL?.lastPathComponent).sorted() == names)
    for name in names {
      let text = try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
      #expect(text == "a whole image")
    }
    #expect(server.log.requestCount == 8)
  }

  @Test("an upload is sent once for its progress bar and its response")
  func upload() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { .text("\($0.body.count)").held(until: gate) }
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "avatar")
    try Data(repeating: 7, count: 100_000).write(to: file)
    let (bar, answer) = Examples(at: server).upload(file)
    // The request is shared while it runs.
    let subscriptions = Lock(0)
    let countSubscription: @Sendable () -> Void = {
      let count = subscriptions.withLock { count in
        count += 1
        return count
      }
      if count == 2 { gate.open() }
    }
    let steps = Task { [bar = bar.do(onSubscribed: countSubscription).values] in try await Array(bar) }
    #expect(try await answer.do(onSubscribed: countSubscription).asSingle().mapString().value == "100000")
    #expect(try await steps.value.allSatisfy { (0...1).contains($0) })
    #expect(server.log.requests.map(\.method) == ["PUT"])
    let form = Examples.Files.picture(file, title: "Harbour")
    let sent = try await NetworkProvider(at: server).rx.upload(form).filterCompleted().asSingle().value
    #expect(sent.statusCode == 200)
    #expect(server.log.requests.last?.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true)
  }

  @Test("lines and events arrive one by one")
  func streams() async throws {
    let server = try LoopbackServer { _ in .text("one\ntwo\n") }
    server.route("/news") { _ in
      .bytes(Array("data: first\n\nevent: other\ndata: second\n\n".utf8), type: "text/event-stream")
    }
    let examples = Examples(at: server)
    #expect(try await Array(examples.lines().values) == ["one", "two"])
    try await examples.printLog()
    #expect(try await examples.news().take(1).asSingle().value == "first")
  }
}
