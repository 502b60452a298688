import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Removal of secrets from texts")
struct SecretRedactionTests {
  private static let url = "http://user:s3cret@h:8080/p?access_token=s3cret&page=2#id_token=s3cret"
  /// A reason that quotes secrets.
  private static let reason = "GET \(url) failed\nAuthorization: Bearer s3cret\ncookie: s3cret\nX: y"
  private static let foreign = URLError(
    .cannotConnectToHost, userInfo: [NSURLErrorFailingURLErrorKey: secretRequest.url as Any])
  private static let response = Response(
    statusCode: 401, data: Data(), request: secretRequest,
    response: HTTPURLResponse(
      url: URL(staticString: "http://h"), statusCode: 401, httpVersion: nil,
      headerFields: ["Set-Cookie": "s3cret"]))
  private static var secretRequest: URLRequest {
    var request = URLRequest(url: URL(string: url) ?? URL(fileURLWithPath: "/"))
    request.setValue("Bearer s3cret", forHTTPHeaderField: "Authorization")
    return request
  }

  static let transfers: [TransferError] = [
    .cannotFindHost("user:s3cret@h"), .cannotConnect(url: url, reason: reason),
    .connectionLost(reason: reason),
    .truncatedBody(reason: reason), .secureConnectionFailed(reason: reason),
    .certificate(problem: .other, host: "s3cret@h", reason: reason), .badServerResponse(reason: reason),
    .redirectRefused(url: url, reason: reason), .unsupportedURL(url), .unsupportedURL("user:s3cret@h"),
    .unsupportedURL("http:/user:s3cret@h/"), .unsupportedURL("http://user:s3/s3cret@h/"),
    .unsupportedURL("http:\\\\user:s3cret@h"), .unsupportedURL("http://s3cret@h"),
    .unsupportedURL("http://h?\(url)"), .unsupportedURL("http:///user:s3cret@h/"),
    .unsupportedURL("http://us er:s3cret@h/"), .unsupportedURL("http://?user:s3cret@h"),
    .connectionLost(reason: "no http:///user:s3cret@h/ there"), .notRecorded(method: "GET", url: url),
    .conversationNotRecorded(url: url, afterMessages: 1), .notStored(url: url),
    .invalidField(name: "Authorization", value: "Bearer s3cret\n"),
    .invalidField(name: "authorization ", value: "Bearer s3cret"),
    .invalidField(name: "Cookie: s3cret", value: "s3cret"),
    .invalidField(name: "X-Api-Key", value: "s3cret\0"),
    .invalidField(name: "url", value: "http://user:s3cret@h/\n"), .invalidField(name: "Referer", value: url),
    .invalidField(name: "method", value: "GET\r\nAuthorization: Bearer s3cret"),
    .cannotReadFile(path: url, reason: reason), .cannotReadBody(reason: reason), .cannotRepeatBody(url: url),
    .other(code: 7, reason: reason),
  ]

  static let settings: [CurlConfigurationError] = [
    .unsupported(option: url, library: url),
    .refused(option: "CURLOPT_URL", reason: reason), .unreadableFile(path: url), .unwritableFile(path: url),
    .invalid(name: "credentials", value: "s3cret\n", reason: reason),
    .invalid(name: "proxy.user", value: "s3cret\n", reason: reason),
    .invalid(name: "proxy.password", value: "s3cret", reason: reason),
    .invalid(name: "proxy.host", value: "user:s3cret@h", reason: reason),
    .invalid(name: "credentials", value: url, reason: reason),
  ]

  static let others: [any Error] = [
    DownloadError.notAFileURL(url), DownloadError.fileExists(path: url), DownloadError.isDirectory(path: url),
    DownloadError.inUse(path: url), DownloadError.cannotWrite(path: url, reason: reason),
    DownloadError.wrongRange(asked: url, received: url),
    RecordingError.cannotRead(path: url, reason: reason),
    RecordingError.cannotWrite(path: url, reason: reason),
    StreamError.notAnEventStream(contentType: url),
    StreamError.undecodableLine(number: 1, text: reason, reason: reason),
    MultipartError.invalidField("name", value: reason), MultipartError.invalidBoundary(url),
    ParameterEncodingError.invalidURL(url), ParameterEncodingError.invalidJSONValue(path: url, value: url),
    ParameterEncodingError.invalidPropertyListValue(path: url, value: url),
    ParameterEncodingError.unsupportedFormat(url), ParameterEncodingError.nestedTooDeep(limit: 1, path: url),
    URLEncodedFormEncoder.Error.invalidRootObject(url),
    URLEncodedFormEncoder.Error.nestedTooDeep(limit: 1, path: url),
    ContentTypeError.missing(acceptable: [url]), ContentTypeError.unacceptable(url, acceptable: [url]),
    ResumeObstacle.invalidValidator(url), ResumeObstacle.weakTag(url),
  ]

  static var network: [NetworkError] {
    let causes = (transfers as [any Error]) + (settings as [any Error]) + others
    return causes.map { .underlying($0, nil) } + [
      .objectMapping(foreign, response), .encodableMapping(foreign), .underlying(foreign, nil),
      .underlying(foreign, response), .parameterEncoding(foreign),
      .imageMapping(response), .jsonMapping(response), .stringMapping(response), .statusCode(response),
      .requestMapping(url), .requestMapping("http//user:s3cret@h"),
    ]
  }

  private static func texts(of value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    var texts = [String(describing: value), String(reflecting: value), "\(value)", dumped]
    if let error = value as? any Error { texts.append(error.localizedDescription) }
    return texts
  }

  private static func expectNoSecret(in value: Any, location: SourceLocation = #_sourceLocation) {
    for text in texts(of: value) {
      #expect(!text.contains("s3cret"), "\(type(of: value))", sourceLocation: location)
      #expect(!text.isEmpty, sourceLocation: location)
    }
  }

  @Test("no error of a transfer shows a secret", arguments: transfers)
  func transfer(error: TransferError) { Self.expectNoSecret(in: error) }

  @Test("no error of a configuration shows a secret", arguments: settings)
  func setting(error: CurlConfigurationError) { Self.expectNoSecret(in: error) }

  @Test("no other error shows a secret")
  func other() {
    for error in Self.others { Self.expectNoSecret(in: error) }
  }

  @Test("no error of a request shows a secret, whatever its underlying error is")
  func request() {
    for error in Self.network {
      Self.expectNoSecret(in: error)
      Self.expectNoSecret(in: APIError<String>.noResponseReceived(error: error))
      Self.expectNoSecret(in: APIError<String>.responseDataConversionFailed(type: "Zen", error: error))
    }
    Self.expectNoSecret(in: APIError<String>.clientError(statusCode: 400, clientError: Self.url))
  }

  @Test("the logger shows no secret of an error")
  func logger() {
    for error in Self.network {
      let log = Log()
      let configuration = NetworkLoggerPlugin.Configuration(output: { _, items in items.forEach { log($0) } })
      NetworkLoggerPlugin(configuration: configuration).didReceive(.failure(error), target: GitHub.zen)
      #expect(log.all.count == 1)
      #expect(!log.all.joined().contains("s3cret"))
    }
  }

  @Test(
    "the value of each parameter that holds a secret is hidden, in any spelling of its name",
    arguments: [
      "access_token", "api-key", "appSecret", "AUTH_TOKEN", "client_assertion", "client_secret", "id_token",
      "passwd", "password", "refresh_token", "secret", "session_token", "sig", "signature", "token",
      "X-Amz-Security-Token", "X-Amz-Signature", "X-Goog-Signature", "AWSAccessKeyId", "key", "code", "jwt",
      "private_token", "x-goog-api-key", "X-Vault-Token", "oauth_token", "subscription-key",
      "pwd", "api_token", "user[password]", "user%5Bpassword%5D", "access%5Ftoken", "login.token",
    ])
  func parameter(name: String) {
    for url in ["http://h/?\(name)=s3cret", "http://h/?a=b&\(name)=s3cret&c=d", "http://h/#\(name)=s3cret"] {
      let texts = Self.texts(of: TransferError.unsupportedURL(url))
      #expect(texts.allSatisfy { !$0.contains("s3cret") })
      #expect(texts.allSatisfy { $0.contains("\(name)=<redacted>") })
    }
  }

  @Test("a parameter may follow a semicolon, and its value ends at the next one")
  func semicolons() {
    let shown = Redactor.standard.redacted(url: "http://h/p?a=b;token=s3cret;page=2")
    #expect(shown == "http://h/p?a=b;token=<redacted>;page=2")
  }

  @Test("a URL in a text ends with its quotation mark or bracket", arguments: [("\"", "\""), ("<", ">")])
  func quotedURL(start: String, end: String) {
    let text = "\(start)http://h:x/p\(end),me@h"
    #expect(Redactor.standard.redacted(text: text) == text)
  }

  @Test("the value of a secret field ends with its line, however the line ends")
  func lines() {
    let shown = Redactor.standard.redacted(text: "Cookie: a\r\nX: y\nset-cookie: b\nZ: 1")
    #expect(shown == "Cookie: <redacted>\r\nX: y\nset-cookie: <redacted>\nZ: 1")
  }

  @Test("code can read the secrets in the associated values of an error")
  func values() {
    #expect(Self.transfers.contains(.cannotConnect(url: Self.url, reason: Self.reason)))
    let error = TransferError.invalidField(name: "Cookie", value: "s3cret")
    guard case .invalidField("Cookie", "s3cret") = error else {
      Issue.record("The value has changed.")
      return
    }
  }

  @Test(
    "values that are not secret are shown",
    arguments: [
      (
        TransferError.cannotConnect(url: "http://u:p@h/a:b@c?page=2&token=t", reason: "refused"),
        #"cannotConnect(url: "http://<redacted>@h/a:b@c?page=2&token=<redacted>", reason: "refused")"#,
        "Cannot connect to http://<redacted>@h/a:b@c?page=2&token=<redacted>: refused."
      ),
      (
        .cannotConnect(url: "http://h:80/@me", reason: "no"),
        #"cannotConnect(url: "http://h:80/@me", reason: "no")"#,
        "Cannot connect to http://h:80/@me: no."
      ),
      (
        .invalidField(name: "X-A", value: "b\n"), #"invalidField(name: "X-A", value: "b\n")"#,
        #""X-A" with the value "b\n" cannot be sent in a request."#
      ),
      (.cancelled, "cancelled", "The request was cancelled."),
      (
        .timedOut(after: .seconds(3)),
        "timedOut(NetworkCoreTransport.TransferTimeout.idle, after: 3.0)",
        "Nothing was sent or received for 3.0 s."
      ),
    ])
  func shown(error: TransferError, described: String, sentence: String) {
    #expect("\(error)" == described)
    #expect(String(reflecting: error) == "NetworkCoreTransport.TransferError." + described)
    #expect(error.localizedDescription == sentence)
  }

  @Test(
    "the secret fields in the text of a foreign error are hidden, however it shows them",
    arguments: [
      #"["Authorization": "Bearer s"]"#, #"Headers { "Set-Cookie" = id=s; }"#, "x-api-key: s", "Cookie : s",
      #"fields(["Api-Key": "s"])"#, #"Refused(fields: "[\"Authorization\": \"Bearer s\"]")"#,
      #"[AnyHashable("Set-Cookie"): "id=s"]"#,
    ])
  func foreignFields(text: String) {
    let shown = Redactor.standard.redacted(text: text)
    #expect(shown.hasSuffix(Redactor.mask))
    let harmless = #"the cookies, "Authorization" and a Cookie=jar"#
    #expect(Redactor.standard.redacted(text: harmless) == harmless)
  }

  @Test("a path with an @ in the URL of a file is shown")
  func file() {
    #expect(Redactor.standard.redacted(text: "file:///a@b http://c") == "file:///a@b http://c")
    #expect(Redactor.standard.redacted(url: "file:///a@b") == "file:///a@b")
  }

  @Test(
    "a long text takes time in proportion to its length", .timeLimit(.minutes(1)),
    arguments: ["://", "://a@", "://a:b/", "Cookie:\n", "?a=", "?token=b&"])
  func long(part: String) {
    // If the time grew with the square of the length, this would take many minutes.
    let text = String(repeating: part, count: 1 << 18 / part.utf8.count)
    #expect(!Redactor.standard.redacted(text: text).isEmpty)
  }

  @Test("the text of an error has the form that Swift gives errors by default")
  func network() {
    #expect("\(NetworkError.cancelled)" == "underlying(NetworkCoreTransport.TransferError.cancelled, nil)")
    #expect("\(NetworkError.statusCode(Self.response))" == "statusCode(Status Code: 401, Data Length: 0)")
  }

  @Test("no value that contains a secret shows it")
  func valueTexts() throws {
    var request = TransportRequest(
      url: Self.url, headers: ["Authorization": "s3cret", "Cookie": "s3cret", "Referer": Self.url])
    request.credential = .basic(user: "u", password: "s3cret")
    var proxy = CurlConfiguration.Proxy(.http, host: "h", port: 1, user: "u", password: "s3cret")
    proxy.bypass = []
    var configuration = CurlConfiguration()
    configuration.proxy = .proxy(proxy)
    configuration.credentials = [
      "h": .bearer(token: "s3cret"), "i": .digest(user: "s3cret", password: "s3cret"),
    ]
    configuration.names.dnsOverHTTPS = "https://user:s3cret@dns/dns-query"
    configuration.tls.clientIdentities["h"] = .init(certificate: .file("c"), password: "s3cret")
    let head = ResponseHead(statusCode: 200, url: Self.url, headers: ["Set-Cookie": "s3cret"])
    let values: [Any] = [
      request, request.headers, request.headers[0], configuration, proxy, head, Self.response,
      configuration.credentials, TransferEvent.head(head),
      TransportEvent.redirected(to: Self.url, statusCode: 302),
      RequestRecord(RequestEvent(id: RequestID(), kind: .started(method: .get, url: Self.url))),
    ]
    for value in values { Self.expectNoSecret(in: value) }
    configuration.tls.clientIdentities = [:]
    configuration.names.dnsOverHTTPS = nil
    let endpoint = Endpoint(
      url: Self.url, sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
      task: .requestPlain, httpHeaderFields: ["authorization": "s3cret", "Accept": "a/b"])
    let transport = try CurlTransport(configuration: configuration)
    let provider = NetworkProvider<GitHub>(
      transport: transport, plugins: [AccessTokenPlugin { _ in "s3cret" }])
    for object in [endpoint, transport, provider] as [Any] { Self.expectNoSecret(in: object) }
    var dumped = ""
    dump(endpoint, to: &dumped)
    #expect(dumped.contains("Accept: a/b"))
    #expect("\(HTTPHeader.authorization(bearerToken: "t"))" == "Authorization: <redacted>")
    #expect("\(HTTPHeader.accept("a/b"))" == "Accept: a/b")
    #expect(request.headers["Authorization"] == "s3cret")
  }
}
