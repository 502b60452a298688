import ReactiveNetworkChildProcess
import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("NetworkLoggerPlugin", .timeLimit(.minutes(5)))
struct NetworkLoggerPluginTests {
  private struct PostTarget: TargetType {
    var baseURL = URL(staticString: "http://me:pass@h")
    var path: String { "/p" }
    var method: HTTPMethod { .post }
    var task = HTTPTask.requestData(Data("it's".utf8))
    var headers: [String: String]? = ["Authorization": "Bearer secret", "X-A": "b"]
    var validationType = ValidationType.none
  }

  private let log = Log()
  private let transport = ScriptedTransport(defaultHeaders: ["User-Agent": "test", "x-a": "session"]) {
    $0.respond(404, headers: ["Set-Cookie": "id=secret", "X-B": "c"], "sorry")
  }

  private func lines(
    _ options: NetworkLoggerPlugin.Configuration.LogOptions, _ target: PostTarget = PostTarget(),
    redacting names: [String] = NetworkLoggerPlugin.Configuration.defaultRedactedHeaderFields,
    stub: StubBehavior = .never
  ) -> [String] {
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { identifier, message, _ in "\(identifier)> \(message)" }),
      output: { [log] _, items in items.forEach { log($0) } }, logOptions: options,
      redactedHeaderFields: names)
    NetworkProvider<PostTarget>(
      stubClosure: { _ in stub }, transport: transport,
      plugins: [NetworkLoggerPlugin(configuration: configuration)]
    ).request(target) { _ in }
    return log.all.map { $0.replacing(/HTTPURLResponse 0x[0-9a-f]+/, with: "HTTPURLResponse") }
  }

  /// The logged response, without its address in memory.
  private let answer =
    """
    Response> <HTTPURLResponse> { URL: http://<redacted>@h/p }{ status: 404, headers {
       "Set-Cookie" = <redacted>;
       "X-B" = c;
    } }
    """

  @Test("by default, method and fields are logged, and secrets are hidden")
  func standard() {
    #expect(
      lines(.default) == [
        "Request> http://<redacted>@h/p",
        #"Request Headers> ["Authorization": "<redacted>", "User-Agent": "test", "X-A": "b"]"#,
        "HTTP Request Method> POST", answer,
      ])
  }

  @Test("a stubbed request is logged with the fields that the transport would add")
  func stubbed() {
    #expect(
      lines(.requestHeaders, stub: .immediate).contains(
        #"Request Headers> ["Authorization": "<redacted>", "User-Agent": "test", "X-A": "b"]"#))
  }

  @Test("`verbose` adds the bodies")
  func verbose() {
    let all = lines(.verbose)
    #expect(all.contains("Request Body> it's"))
    #expect(all.last == "Response Body> sorry")
  }

  @Test("`default` and `verbose` have the options of their names")
  func usual() {
    #expect(NetworkLoggerPlugin.verbose.configuration.logOptions == .verbose)
    #expect(NetworkLoggerPlugin.default.configuration.logOptions == .default)
    #expect(NetworkLoggerPlugin().configuration.logOptions == .default)
  }

  @Test("by default, an entry has the time, its kind and its content")
  func defaultEntry() {
    let text = NetworkLoggerPlugin.Configuration.Formatter.defaultEntryFormatter(
      identifier: "Request", message: "http://h", target: GitHub.zen)
    let time = text.firstMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#).map { String($0.output) }
    #expect(text == "NetworkLogger: [\(time ?? "-")] Request: http://h")
  }

  @Test("a request without fields is logged with an empty list of them")
  func noFields() {
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { identifier, message, _ in "\(identifier)> \(message)" }),
      output: { [log] _, items in items.forEach { log($0) } }, logOptions: .requestHeaders)
    NetworkProvider<GitHub>(
      transport: ScriptedTransport { $0.respond() },
      plugins: [NetworkLoggerPlugin(configuration: configuration)]
    ).request(.zen) { _ in }
    #expect(log.all.contains("Request Headers> [:]"))
  }

  @Test("a streamed body is logged only if bodies are logged")
  func streamedBody() {
    let target = PostTarget(task: .uploadData(Data("x".utf8)))
    #expect(!lines([.requestHeaders, .requestMethod], target).contains { $0.hasPrefix("Request Body") })
    #expect(lines([.requestBody], target).count { $0.hasPrefix("Request Body Stream> ") } == 1)
  }

  @Test("a body that is not text is logged as its length")
  func bytes() {
    let target = PostTarget(task: .requestData(Data([0xFF, 0, 1])))
    #expect(lines([.requestBody], target).contains("Request Body> (3 bytes that are not text)"))
  }

  @Test("the body of a request and the body of a response have separate formatters")
  func bodyFormatters() {
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(
        entry: { identifier, message, _ in "\(identifier)> \(message)" },
        requestData: { "sent \($0.count)" }, responseData: { "received \($0.count)" }),
      output: { [log] _, items in items.forEach { log($0) } },
      logOptions: [.requestBody, .successResponseBody])
    NetworkProvider<PostTarget>(
      transport: transport, plugins: [NetworkLoggerPlugin(configuration: configuration)]
    ).request(PostTarget()) { _ in }
    let bodies = log.all.filter { $0.contains(" Body> ") }
    #expect(bodies == ["Request Body> sent 4", "Response Body> received 5"])
  }

  @Test("the body of a failure is logged only with its option")
  func failureBody() {
    let strict = PostTarget(validationType: .successCodes)
    #expect(lines([.successResponseBody], strict) == ["Request> http://<redacted>@h/p", answer])
    #expect(lines([.errorResponseBody], strict).last == "Response Body> sorry")
  }

  @Test("the option for failures does not log the body of a success")
  func successBody() {
    #expect(lines([.errorResponseBody]).last == answer)
  }

  private enum Account: TargetType {
    case plain, login(String, password: String)
    var baseURL: URL { URL(staticString: "http://h") }
    var path: String { "" }
    var task: HTTPTask { .requestPlain }
  }

  private func errorLines(
    _ error: NetworkError, _ target: any TargetType, redacting names: [String] = ["Authorization"]
  ) -> [String] {
    let plugin = NetworkLoggerPlugin(
      configuration: .init(
        formatter: .init(entry: { identifier, message, _ in "\(identifier)> \(message)" }),
        output: { [log] _, items in items.forEach { log($0) } }, logOptions: [], redactedHeaderFields: names))
    plugin.didReceive(.failure(error), target: target)
    return log.all
  }

  @Test("a failure without a response is logged with the target and the error's full description")
  func failure() {
    struct ForeignError: Error {
      var detail = "of the disk"
    }
    let line = errorLines(.underlying(ForeignError()), GitHub.zen).first ?? ""
    #expect(line.hasPrefix("Error> Error calling zen : underlying("))
    #expect(line.hasSuffix(#"ForeignError(detail: "of the disk"), nil)"#))
  }

  @Test(
    "the log of an error hides the target's associated values, which may be secrets",
    arguments: [
      (MultiTarget(Account.login("me", password: "secret")), "target(login(…))"),
      (MultiTarget(Account.plain), "target(plain)"),
    ])
  func targetNames(target: MultiTarget, name: String) {
    let expected =
      "Error> Error calling \(name) : underlying(NetworkCoreTransport.TransferError.cancelled, nil)"
    #expect(errorLines(.cancelled, target, redacting: []) == [expected])
  }

  @Test("a target that is not an enum is named by its type")
  func typeName() {
    #expect(
      errorLines(.cancelled, PostTarget()) == [
        "Error> Error calling PostTarget : underlying(NetworkCoreTransport.TransferError.cancelled, nil)"
      ])
  }

  @Test("the logged URL of a response is the URL that responded")
  func answeredURL() {
    let head = HTTPURLResponse(
      url: URL(staticString: "http://h/new?token=secret"), statusCode: 200, httpVersion: nil,
      headerFields: nil)
    let request = URLRequest(url: URL(staticString: "http://h/old"))
    let response = Response(statusCode: 200, data: Data(), request: request, response: head)
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { _, message, _ in message }),
      output: { [log] _, items in items.forEach { log($0) } })
    NetworkLoggerPlugin(configuration: configuration).didReceive(.success(response), target: GitHub.zen)
    #expect(log.all.first?.contains("{ URL: http://h/new?token=<redacted> }{ status: 200, headers {") == true)
  }

  @Test("a response without a head and a missing request are logged as such")
  func missing() {
    struct EmptyRequest: RequestType {
      var request: URLRequest? { nil }
      var sessionHeaders: [String: String] { [:] }
    }
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { identifier, message, _ in "\(identifier)> \(message)" }),
      output: { [log] _, items in items.forEach { log($0) } })
    let plugin = NetworkLoggerPlugin(configuration: configuration)
    plugin.willSend(EmptyRequest(), target: GitHub.zen)
    plugin.didReceive(.success(Response(statusCode: 200, data: Data())), target: GitHub.zen)
    #expect(log.all == ["Request> (invalid request)", "Response> Received empty network response for zen."])
  }

  @Test("a configuration can be changed later")
  func changed() {
    let plugin = NetworkLoggerPlugin()
    plugin.configuration.output = { [log] _, items in items.forEach { log($0) } }
    plugin.configuration.formatter.entry = { identifier, _, _ in identifier }
    plugin.didReceive(.failure(.cancelled), target: GitHub.zen)
    #expect(log.all == ["Error"])
  }

  @Test("a custom curl command of a request is logged, with secrets hidden")
  func ownCommand() {
    struct CustomRequest: RequestType {
      var request: URLRequest? { nil }
      var sessionHeaders: [String: String] { [:] }
      func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> CustomRequest {
        handler("fetch http://me:pass@h")
        return self
      }
    }
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { _, message, _ in message }),
      output: { [log] _, items in items.forEach { log($0) } }, logOptions: .formatRequestAscURL)
    NetworkLoggerPlugin(configuration: configuration).willSend(CustomRequest(), target: GitHub.zen)
    #expect(log.all == ["fetch http://<redacted>@h"])
  }

  @Test("a custom curl command is not logged if the body must not be shown", arguments: [true, false])
  func ownCommandWithBody(isAsked: Bool) {
    struct CustomRequest: RequestType {
      let request: URLRequest?
      var sessionHeaders: [String: String] { ["X-A": "b"] }
      func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> CustomRequest {
        handler("fetch -d secret")
        return self
      }
    }
    var request = URLRequest(url: URL(staticString: "http://h"))
    request.httpMethod = "POST"
    request.httpBody = Data("secret".utf8)
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { _, message, _ in message }),
      output: { [log] _, items in items.forEach { log($0) } },
      logOptions: isAsked ? [.formatRequestAscURL, .requestBody] : .formatRequestAscURL)
    NetworkLoggerPlugin(configuration: configuration)
      .willSend(CustomRequest(request: request), target: GitHub.zen)
    let withoutBody =
      "$ curl -v \\\n\t-X POST \\\n\t-H 'X-A: b' \\\n\t--data-binary @- \\\n\t-H 'Content-Type:' \\\n\t'http://h'"
    #expect(log.all == [isAsked ? "fetch -d secret" : withoutBody])
  }

  @Test("a path that looks like a password is shown")
  func path() {
    let target = PostTarget(baseURL: URL(staticString: "http://h/a:b@c"))
    #expect(lines(.default, target).first == "Request> http://h/a:b@c/p")
  }

  @Test("secrets are shown if no fields are redacted")
  func shown() {
    #expect(
      lines(.requestHeaders, redacting: []).prefix(2) == [
        "Request> http://me:pass@h/p",
        #"Request Headers> ["Authorization": "Bearer secret", "User-Agent": "test", "X-A": "b"]"#,
      ])
  }

  @Test(
    "the value of each field that holds a secret is hidden, in any spelling of its name",
    arguments: [
      "authorization", "Cookie", "Proxy-Authorization", "Set-Cookie", "x-api-key", "X-Auth-Token",
      "apikey", "PRIVATE-TOKEN", "X-Amz-Security-Token", "X-Goog-Api-Key", "X-Vault-Token",
      "Api-Key", "Ocp-Apim-Subscription-Key", "X-Access-Token", "X-Auth-Key",
    ])
  func hidden(name: String) {
    #expect(
      lines(.requestHeaders, PostTarget(headers: [name: "secret"]))[1].contains(#""\#(name)": "<redacted>""#))
  }

  @Test("the curl command shows HEAD, the body of a GET and a streamed body")
  func methods() {
    struct PlainRequest: RequestType {
      var request: URLRequest?
      var sessionHeaders: [String: String] { [:] }
    }
    func command(_ change: (inout URLRequest) -> Void) -> [String] {
      var request = URLRequest(url: URL(staticString: "http://h"))
      change(&request)
      let log = Log()
      PlainRequest(request: request).cURLDescription { log($0) }
      return log.all
    }
    func lines(_ lines: String...) -> [String] { [lines.joined(separator: " \\\n\t")] }
    #expect(command { _ in } == lines("$ curl -v", "-X GET", "'http://h'"))
    #expect(command { $0.httpMethod = "M;X" } == lines("$ curl -v", "-X 'M;X'", "'http://h'"))
    // The body of a HEAD is not sent, and curl refuses it.
    for body in [nil, Data("x".utf8), Data("a\0b".utf8)] {
      let head = command {
        $0.httpMethod = "HEAD"
        $0.httpBody = body
      }
      #expect(head == lines("$ curl -v", "--head", "'http://h'"))
    }
    let streamedHead = command {
      $0.httpMethod = "HEAD"
      $0.httpBodyStream = InputStream(data: Data("x".utf8))
    }
    #expect(streamedHead == lines("$ curl -v", "--head", "'http://h'"))
    #expect(
      command { $0.httpBody = Data("x".utf8) }
        == lines("$ curl -v", "-X GET", "-d 'x'", "-H 'Content-Type:'", "'http://h'"))
    #expect(
      command {
        $0.httpBody = Data("x".utf8)
        $0.setValue("a/b", forHTTPHeaderField: "Content-Type")
      } == lines("$ curl -v", "-X GET", "-H 'Content-Type: a/b'", "-d 'x'", "'http://h'"))
    // curl would read a file otherwise.
    #expect(
      command { $0.httpBody = Data("@x".utf8) }
        == lines("$ curl -v", "-X GET", "--data-raw '@x'", "-H 'Content-Type:'", "'http://h'"))
    #expect(
      command { $0.httpBody = Data("@\u{301}x".utf8) }
        == lines("$ curl -v", "-X GET", "--data-raw '@\u{301}x'", "-H 'Content-Type:'", "'http://h'"))
    // An argument of a program cannot contain a NUL.
    #expect(
      command { $0.httpBody = Data("a\0b".utf8) }
        == lines(
          "$ printf %s 'YQBi' | base64 -d | curl -v", "-X GET", "--data-binary @-", "-H 'Content-Type:'",
          "'http://h'"))
    let streamed = command {
      $0.httpMethod = "POST"
      $0.httpBodyStream = InputStream(data: Data("x".utf8))
    }
    #expect(
      streamed == lines("$ curl -v", "-X POST", "--data-binary @-", "-H 'Content-Type:'", "'http://h'"))
  }

  @Test("the curl command replaces all other parts of the request, and has the body if that is logged")
  func curl() {
    let command = #"""
      $ curl -v \
      \#t-X POST \
      \#t-H 'Authorization: <redacted>' \
      \#t-H 'User-Agent: test' \
      \#t-H 'X-A: b' \
      \#t-d 'it'\''s' \
      \#t-H 'Content-Type:' \
      \#t'http://<redacted>@h/p'
      """#
    let options: NetworkLoggerPlugin.Configuration.LogOptions = [.formatRequestAscURL, .requestHeaders]
    #expect(lines([options, .requestBody]) == ["Request> \(command)", answer])
    let bodiless = command.replacingOccurrences(of: #"-d 'it'\''s'"#, with: "--data-binary @-")
    #expect(lines(options).suffix(2) == ["Request> \(bodiless)", answer])
  }

  @Test("a default Accept-Encoding, which a request for a range does not get, is not shown for it")
  func range() {
    struct RangeRequest: RequestType {
      let request: URLRequest?
      var sessionHeaders: [String: String] { ["Accept-Encoding": "gzip", "X-A": "b"] }
    }
    var request = URLRequest(url: URL(staticString: "http://h"))
    request.setValue("bytes=0-9", forHTTPHeaderField: "Range")
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { _, message, _ in message }),
      output: { [log] _, items in items.forEach { log($0) } }, logOptions: .requestHeaders)
    NetworkLoggerPlugin(configuration: configuration)
      .willSend(RangeRequest(request: request), target: GitHub.zen)
    RangeRequest(request: request).cURLDescription { [log] in log($0) }
    #expect(
      log.all == [
        "http://h", #"["Range": "bytes=0-9", "X-A": "b"]"#,
        "$ curl -v \\\n\t-X GET \\\n\t-H 'Range: bytes=0-9' \\\n\t-H 'X-A: b' \\\n\t'http://h'",
      ])
  }

  @Test("the curl command that a plugin requests contains the secrets")
  func description() {
    struct CurlLogger: PluginType {
      let log: Log
      func willSend(_ request: any RequestType, target: any TargetType) {
        request.cURLDescription { log($0) }
      }
    }
    NetworkProvider<PostTarget>(transport: transport, plugins: [CurlLogger(log: log)]).request(PostTarget()) {
      _ in
    }
    #expect(log.all.first?.contains("Bearer secret") == true)
    #expect(log.all.first?.contains("me:pass@h") == true)
  }

  @Test(
    "a shell that runs the command sends exactly the same request",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")),
    arguments: [
      "plain", "$(touch /tmp/never) `id` \"q\" 'q' \\ ! * ; & |", "@/etc/passwd", "line\nline", "ü✓",
      #"a"b\c$HOME"#, "'\u{301}$(touch /tmp/never)'",
    ])
  func pasted(text: String) async throws {
    let server = try LoopbackServer { _ in .status(204) }
    let bodies = [Data(text.utf8), Data([0, 255, 10] + Array(text.utf8))]
    for body in bodies {
      let value = text.replacingOccurrences(of: "\n", with: " ")
      var target = PostTarget(
        baseURL: server.baseURL, task: .requestData(body), headers: ["X-Text": value, "X-Empty": ""])
      target.validationType = .none
      let line = try #require(command(for: target))
      #expect(try ChildProcess("/bin/sh", ["-c", line.dropFirst(2) + " --silent"], input: .none).wait() == 0)
      let seen = try #require(server.log.requests.last)
      #expect(seen.method == "POST")
      #expect(seen.target == "/p")
      #expect(seen.headers["X-Text"] == value)
      #expect(seen.headers["X-Empty"] == "")
      #expect(seen.headers["Content-Type"] == nil)
      #expect(Data(seen.body) == body)
    }
    #expect(server.log.requestCount == bodies.count)
  }

  @Test("what a replaced configuration holds may use the logger when it is released")
  func replacedConfiguration() {
    final class Owned: Sendable {
      private let logger: NetworkLoggerPlugin
      private let log: Log

      init(_ logger: NetworkLoggerPlugin, _ log: Log) { (self.logger, self.log) = (logger, log) }

      deinit { log(logger.configuration.logOptions == .verbose ? "new" : "old") }
    }
    let log = Log()
    let logger = NetworkLoggerPlugin()
    do {
      let owned = Owned(logger, log)
      logger.configuration = .init(output: { _, _ in withExtendedLifetime(owned) {} }, logOptions: [])
    }
    logger.configuration = .init(logOptions: .verbose)
    #expect(log.all == ["new"])
  }

  private func command(for target: PostTarget) -> String? {
    let log = Log()
    let configuration = NetworkLoggerPlugin.Configuration(
      formatter: .init(entry: { _, message, _ in message }),
      output: { _, items in items.forEach { log($0) } },
      logOptions: [.formatRequestAscURL, .requestBody])
    NetworkProvider<PostTarget>(
      stubClosure: NetworkProvider.immediatelyStub,
      plugins: [NetworkLoggerPlugin(configuration: configuration)]
    ).request(target) { _ in }
    return log.all.first
  }
}
