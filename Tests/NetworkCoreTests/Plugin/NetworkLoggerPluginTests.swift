import ChildProcess
import Foundation
import LoopbackServer
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("NetworkLoggerPlugin", .timeLimit(.minutes(5)))
struct NetworkLoggerPluginTests {
  private struct Posting: TargetType {
    var baseURL = URL(staticString: "http://me:pass@h")
    var path: String { "/p" }
    var method: HTTPMethod { .post }
    var task = HTTPTask.requestData(Data("it's".utf8))
    var headers: [String: String]? = ["Authorization": "Bearer secret", "X-A": "b"]
    var validationType = ValidationType.none
  }

  private let log = Log()
  private let transport = ScriptedTransport(defaultHeaders: ["User-Agent": "test", "x-a": "session"]) {
    $0.answer(404, headers: ["Set-Cookie": "id=secret", "X-B": "c"], "sorry")
  }

  private func lines(
    _ options: NetworkLoggerPlugin.Configuration.LogOptions, _ target: Posting = Posting(),
    redacting names: [String] = NetworkLoggerPlugin.Configuration.defaultRedactedHeaderFields
  ) -> [String] {
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { identifier, message, _ in "\(identifier)> \(message)" }),
      output: { [log] _, items in items.forEach { log($0) } }, logOptions: options,
      redactedHeaderFields: names)
    NetworkProvider<Posting>(
      transport: transport, plugins: [NetworkLoggerPlugin(configuration: configuration)]
    ).request(target) { _ in }
    return log.all
  }

  private let answer =
    "Response> 404 http://<redacted>@h/p [Set-Cookie: <redacted>, X-B: c]"

  @Test("by default it logs method and fields, secrets hidden")
  func standard() {
    #expect(
      lines(.default) == [
        "Request> http://<redacted>@h/p",
        "Request Headers> [Authorization: <redacted>, User-Agent: test, X-A: b]",
        "HTTP Request Method> POST", answer,
      ])
  }

  @Test("verbose adds the bodies")
  func verbose() {
    let all = lines(.verbose)
    #expect(all.contains("Request Body> it's"))
    #expect(all.last == "Response Body> sorry")
  }

  @Test("the body of a failure is logged where that is asked for, and only there")
  func failureBody() {
    let strict = Posting(validationType: .successCodes)
    #expect(lines([.successResponseBody], strict) == ["Request> http://<redacted>@h/p", answer])
    #expect(lines([.errorResponseBody], strict).last == "Response Body> sorry")
  }

  @Test("the body of a success is not logged as that of a failure")
  func successBody() {
    #expect(lines([.errorResponseBody]).last == answer)
  }

  @Test("a failure without an answer is logged by its description")
  func failure() {
    var said: [String] { log.all }
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { identifier, message, _ in "\(identifier)> \(message)" }),
      output: { [log] _, items in items.forEach { log($0) } }, logOptions: [])
    NetworkLoggerPlugin(configuration: configuration).didReceive(.failure(.cancelled), target: GitHub.zen)
    #expect(said == ["Error> The request was cancelled."])
  }

  @Test("a path that looks like a password is shown")
  func path() {
    let target = Posting(baseURL: URL(staticString: "http://h/a:b@c"))
    #expect(lines(.default, target).first == "Request> http://h/a:b@c/p")
  }

  @Test("secrets are shown where no fields are redacted")
  func shown() {
    #expect(
      lines(.requestHeaders, redacting: []).prefix(2) == [
        "Request> http://me:pass@h/p",
        "Request Headers> [Authorization: Bearer secret, User-Agent: test, X-A: b]",
      ])
  }

  @Test(
    "the value of each field that holds a secret is hidden, in any spelling of its name",
    arguments: [
      "authorization", "Cookie", "Proxy-Authorization", "Set-Cookie", "x-api-key", "X-Auth-Token",
    ])
  func hidden(name: String) {
    #expect(
      lines(.requestHeaders, Posting(headers: [name: "secret"]))[1].contains("\(name): <redacted>"))
  }

  @Test("the cURL form shows HEAD, the body of a GET and a streamed body")
  func methods() {
    struct Plain: RequestType {
      var request: URLRequest?
      var sessionHeaders: [String: String] { [:] }
    }
    func command(_ change: (inout URLRequest) -> Void) -> [String] {
      var request = URLRequest(url: URL(staticString: "http://h"))
      change(&request)
      let log = Log()
      Plain(request: request).cURLDescription { log($0) }
      return log.all
    }
    #expect(command { _ in } == ["curl 'http://h'"])
    #expect(command { $0.httpMethod = "HEAD" } == ["curl --head 'http://h'"])
    #expect(command { $0.httpBody = Data("x".utf8) } == ["curl --request GET --data-raw x 'http://h'"])
    // No argument of a program can have a NUL.
    #expect(
      command { $0.httpBody = Data("a\0b".utf8) } == [
        "printf %s YQBi | base64 -d | curl --request GET --data-binary @- 'http://h'"
      ])
    let streamed = command {
      $0.httpMethod = "POST"
      $0.httpBodyStream = InputStream(data: Data("x".utf8))
    }
    #expect(streamed == ["curl --request POST --data-binary @- 'http://h'"])
  }

  @Test("the cURL form stands for everything else of the request")
  func curl() {
    let command = """
      curl --request POST --header 'Authorization: <redacted>' --header 'User-Agent: test' \
      --header 'X-A: b' --data-raw 'it'\\''s' 'http://<redacted>@h/p'
      """
    #expect(
      lines([.formatRequestAscURL, .requestHeaders, .requestMethod]) == ["Request> \(command)", answer])
  }

  @Test("what a plugin asks for as cURL has everything")
  func description() {
    struct Asking: PluginType {
      let log: Log
      func willSend(_ request: any RequestType, target: any TargetType) {
        request.cURLDescription { log($0) }
      }
    }
    NetworkProvider<Posting>(transport: transport, plugins: [Asking(log: log)]).request(Posting()) { _ in }
    #expect(log.all.first?.contains("Bearer secret") == true)
    #expect(log.all.first?.contains("me:pass@h") == true)
  }

  @Test(
    "a shell that runs the command sends the very request",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")),
    arguments: [
      "plain", "$(touch /tmp/never) `id` \"q\" 'q' \\ ! * ; & |", "@/etc/passwd", "line\nline", "ü✓",
    ])
  func pasted(text: String) async throws {
    let server = try LoopbackServer { _ in .status(204) }
    let bodies = [Data(text.utf8), Data([0, 255, 10] + Array(text.utf8))]
    for body in bodies {
      let value = text.replacingOccurrences(of: "\n", with: " ")
      var target = Posting(
        baseURL: server.baseURL, task: .requestData(body), headers: ["X-Text": value, "X-Empty": ""])
      target.validationType = .none
      let line = try #require(command(for: target))
      #expect(try ChildProcess("/bin/sh", ["-c", line + " --silent"], input: .none).wait() == 0)
      let seen = try #require(server.log.requests.last)
      #expect(seen.method == "POST")
      #expect(seen.target == "/p")
      #expect(seen.headers["X-Text"] == value)
      #expect(seen.headers["X-Empty"] == "")
      #expect(Data(seen.body) == body)
    }
    #expect(server.log.requestCount == bodies.count)
  }

  private func command(for target: Posting) -> String? {
    let log = Log()
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { _, message, _ in message }),
      output: { _, items in items.forEach { log($0) } },
      logOptions: .formatRequestAscURL)
    NetworkProvider<Posting>(
      stubClosure: NetworkProvider.immediatelyStub,
      plugins: [NetworkLoggerPlugin(configuration: configuration)]
    ).request(target) { _ in }
    return log.all.first
  }
}
