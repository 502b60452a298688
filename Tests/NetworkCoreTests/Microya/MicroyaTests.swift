import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import MicroyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// `DispatchQueue.test` belongs to another library; these tests use a `ManualDelayScheduler` instead.
private let testScheduler = ManualDelayScheduler()

extension ApiProvider {
  fileprivate static var mocked: ApiProvider<Translator> {
    ApiProvider<Translator>(
      baseUrl: URL(string: "https://translator.example")!,
      mockingBehavior: MockingBehavior(delay: .seconds(0.5), scheduler: testScheduler)
    )
  }
}

private typealias Failure = ApiError<Translator.ClientErrorType>

@Suite("Microya's names", .timeLimit(.minutes(5)))
struct MicroyaTests {
  private let server: LoopbackServer
  private let provider: ApiProvider<Translator>

  init() throws {
    server = try .translator()
    provider = ApiProvider<Translator>(baseUrl: server.baseURL)
  }

  @Test("an endpoint's path, query, method and body are sent, with the header fields of JSON")
  func endpoint() async throws {
    _ = await provider.response(on: .test)
    _ = await provider.response(on: .languages)
    _ = await provider.response(on: .rename("a"))
    let requests = server.log.requests
    try #require(requests.count == 3)
    #expect(requests.map(\.method) == ["POST", "GET", "PATCH"])
    #expect(
      requests.map(\.target) == [
        "/translate?api-version=3.0&from=english&to=german&to=japanese&to=turkish",
        "/languages?api-version=3.0", "/texts/a?api-version=3.0",
      ])
    #expect(requests.map(\.text) == [#"["Test"]"#, "", "{}"])
    #expect(requests[1].headers["Accept"] == "application/json")
    #expect(requests[0].headers["Content-Type"] == "application/json")
    #expect(requests[0].headers["Accept-Language"] != nil)
    let own = ApiProvider<Translator>()
    #expect(own.endpoint(.languages).url == "https://translator.example/languages?api-version=3.0")
  }

  @Test("a provider takes any plugin")
  func plugins() async throws {
    struct FieldPlugin: PluginType {
      func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        var request = request
        request.setValue("t", forHTTPHeaderField: "X-Token")
        return request
      }
    }
    let provider = ApiProvider<Translator>(
      baseUrl: server.baseURL, plugins: [FieldPlugin(), Microya.Plugin<Translator>()])
    _ = await provider.response(on: .languages)
    #expect(server.log.requests.map { $0.headers["X-Token"] } == ["t"])
  }

  @Test("an endpoint needs only a path, a method and an error type")
  func defaults() async throws {
    struct SmallEndpoint: Microya.Endpoint {
      typealias ClientErrorType = EmptyBodyResponse
      var subpath: String { "small" }
      var method: HttpMethod { .get }
    }
    let small = ApiProvider<SmallEndpoint>(baseUrl: server.baseURL)
    #expect(await small.response(on: SmallEndpoint()) == .success(EmptyBodyResponse()))
    #expect(server.log.requests.map(\.target) == ["/small"])
    guard
      case .failure(.noResponseReceived(let error)) = await ApiProvider<SmallEndpoint>().response(
        on: SmallEndpoint()),
      case .unsupportedURL? = error.transferError
    else {
      Issue.record("a request without a server is sent")
      return
    }
  }

  @Test("a request under the base URL of the provider is modified by its endpoint")
  func modifiedRequest() async {
    struct MarkedEndpoint: Microya.Endpoint {
      typealias ClientErrorType = EmptyBodyResponse
      var subpath: String { "small" }
      var method: HttpMethod { .get }
      func modify(_ request: inout URLRequest) { request.setValue("yes", forHTTPHeaderField: "Modified") }
    }
    let provider = ApiProvider<MarkedEndpoint>(baseUrl: server.baseURL)
    _ = await provider.response(on: MarkedEndpoint())
    #expect(server.log.requests.map { $0.headers["Modified"] } == ["yes"])
  }

  @Test("a call passes the decoded result to a closure")
  func performRequest() async throws {
    let endpoint = Translator.translate(texts: ["Test"], from: .english, to: [.german, .japanese, .turkish])
    let words = await withCheckedContinuation { done in
      provider.performRequest(on: endpoint, decodeBodyTo: [String: String].self) { result in
        switch result {
        case let .success(translationsByLanguage):
          done.resume(returning: translationsByLanguage)
        case let .failure(apiError):
          done.resume(returning: ["error": "\(apiError)"])
        }
      }
    }
    #expect(words == ["german": "Prüfung"])
  }

  @Test("a blocking call returns the decoded result")
  func performRequestAndWait() throws {
    switch provider.performRequestAndWait(on: .test, decodeBodyTo: [String: String].self) {
    case let .success(translationsByLanguage):
      #expect(translationsByLanguage == ["german": "Prüfung"])
    case let .failure(apiError):
      throw apiError
    }
  }

  // A closure that is passed to a completion does not throw, so `get()` needs a `do` there.
  @Test("get returns the value of a result, or throws its error")
  func get() throws {
    let translationsByLanguage = try provider.performRequestAndWait(
      on: .test, decodeBodyTo: [String: String].self
    ).get()
    #expect(translationsByLanguage == ["german": "Prüfung"])
    #expect(throws: Failure.clientError(statusCode: 409, clientError: .init(code: 7, message: "in use"))) {
      try provider.performRequestAndWait(on: .forget("a"), decodeBodyTo: [String: String].self).get()
    }
    let end = DispatchSemaphore(value: 0)
    let found = Lock([String: String]())
    provider.performRequest(on: .test, decodeBodyTo: [String: String].self) { result in
      if let words = try? result.get() { found.withLock { $0 = words } }
      end.signal()
    }
    end.wait()
    #expect(found.withLock { $0 } == ["german": "Prüfung"])
  }

  @Test("a call without a response body can use a closure or block")
  func emptyBody() throws {
    #expect(provider.performRequestAndWait(on: .languages) == .success(EmptyBodyResponse()))
    let end = DispatchSemaphore(value: 0)
    let results = Lock([Result<EmptyBodyResponse, Failure>]())
    provider.performRequest(on: .forget("a")) { result in
      results.withLock { $0.append(result) }
      end.signal()
    }
    end.wait()
    let error = Failure.clientError(statusCode: 409, clientError: .init(code: 7, message: "in use"))
    #expect(results.withLock { $0 } == [.failure(error)])
  }

  @Test("a call can be awaited, and its client error is typed")
  func response() async {
    let result = await provider.response(on: .test, decodeBodyTo: [String: String].self)
    switch result {
    case let .success(translationsByLanguage):
      #expect(translationsByLanguage == ["german": "Prüfung"])
    case let .failure(apiError):
      Issue.record(apiError)
    }
    switch await provider.response(on: .forget("a"), decodeBodyTo: [String: String].self) {
    case let .failure(.clientError(statusCode, clientError)):
      #expect(statusCode == 409)
      #expect(clientError?.message == "in use")
    default:
      Issue.record("no client error")
    }
  }

  /// A plugin that logs its calls and adds a header field.
  private final class CallLoggingPlugin: Plugin<Translator>, @unchecked Sendable {
    let log = Log()

    override func modifyRequest(_ request: inout URLRequest, endpoint: Translator) {
      request.setValue("yes", forHTTPHeaderField: "Modified")
      log("modify \(endpoint.subpath)")
    }

    override func willPerformRequest(_ request: URLRequest, endpoint: Translator) {
      log("will \(request.value(forHTTPHeaderField: "Modified") ?? "no")")
    }

    override func didPerformRequest<ResultType: Decodable>(
      urlSessionResult: (data: Data?, response: URLResponse?, error: (any Error)?),
      typedResult: Result<ResultType, ApiError<Translator.ClientErrorType>>, endpoint: Translator
    ) {
      let status = (urlSessionResult.response as? HTTPURLResponse)?.statusCode ?? 0
      switch typedResult {
      case .success(let value): log("did \(status) \(value) \(urlSessionResult.error == nil)")
      case .failure(let error):
        let body = String(decoding: urlSessionResult.data ?? Data(), as: UTF8.self)
        log("did \(status) \(error.statusCode ?? 0) \(body)")
      }
    }
  }

  @Test("a plugin's three callbacks get the request, and the decoded response")
  func plugin() async {
    let plugin = CallLoggingPlugin()
    let provider = ApiProvider<Translator>(baseUrl: server.baseURL, plugins: [plugin])
    _ = await provider.response(on: .test, decodeBodyTo: [String: String].self)
    _ = await provider.response(on: .forget("a"))
    #expect(
      plugin.log.all == [
        "modify /translate", "will yes", #"did 200 ["german": "Prüfung"] true"#, "modify /texts/a",
        "will yes", #"did 409 409 {"code": 7, "message": "in use"}"#,
      ])
    #expect(server.log.requests.map { $0.headers["Modified"] } == ["yes", "yes"])
  }

  @Test("a plugin's callbacks are called for a mocked response")
  func mockedPlugin() async {
    let plugin = CallLoggingPlugin()
    let mocked = ApiProvider<Translator>(
      baseUrl: nil, plugins: [plugin], mockingBehavior: MockingBehavior(delay: .zero))
    _ = await mocked.response(on: .forget("a"))
    #expect(
      plugin.log.all == ["modify /texts/a", "will yes", #"did 409 409 {"code": 7, "message": "in use"}"#])
  }

  @Test("a plugin gets the body and the head of a response that the validation refuses, and the error")
  func refusedResponse() {
    struct StrictEndpoint: Microya.Endpoint {
      typealias ClientErrorType = EmptyBodyResponse
      var baseUrl: URL { URL(staticString: "http://h") }
      var subpath: String { "small" }
      var method: HttpMethod { .get }
      var validationType: ValidationType { .successCodes }
    }
    // `@unchecked Sendable` because its superclass is: it adds a constant of a `Sendable` type.
    final class ResultLogger: Plugin<StrictEndpoint>, @unchecked Sendable {
      let log = Log()

      override func didPerformRequest<ResultType: Decodable>(
        urlSessionResult: (data: Data?, response: URLResponse?, error: (any Error)?),
        typedResult: Result<ResultType, ApiError<StrictEndpoint.ClientErrorType>>, endpoint: StrictEndpoint
      ) {
        let status = (urlSessionResult.response as? HTTPURLResponse)?.statusCode ?? 0
        let body = String(decoding: urlSessionResult.data ?? Data(), as: UTF8.self)
        log("\(status) \(body) \(urlSessionResult.error != nil)")
      }
    }
    let plugin = ResultLogger()
    let provider = NetworkProvider<StrictEndpoint>(
      transport: ScriptedTransport { $0.respond(409, "in use") }, plugins: [plugin])
    provider.performRequest(on: StrictEndpoint()) { _ in }
    #expect(plugin.log.all == ["409 in use true"])
  }

  @Test("mocked responses come after a delay in virtual time")
  func mocking() throws {
    let mocked = ApiProvider<Translator>.mocked
    let log = Log()
    mocked.performRequest(on: .test, decodeBodyTo: [String: String].self) { result in
      log((try? result.get()["turkish"]) ?? "none")
    }
    mocked.performRequest(on: .forget("a")) { result in
      if case .failure(.clientError(let status, let error)) = result {
        log("\(status) \(error?.message ?? "-")")
      }
    }
    testScheduler.advance(by: .milliseconds(300))
    #expect(log.all.isEmpty)
    testScheduler.advance(by: .milliseconds(300))
    #expect(log.all == ["sınav", "409 in use"])
    #expect(server.log.requests.isEmpty)
  }

  @Test("a mocked response is that of the behavior's closure, and has the URL under the provider's base")
  func chosenMock() {
    let mocked = ApiProvider<Translator>(
      baseUrl: URL(staticString: "https://elsewhere.example"),
      mockingBehavior: MockingBehavior(delay: .zero) { _ in MockedResponse(status: .created) })
    let outcome = CompletionRecorder()
    mocked.request(.languages, completion: outcome.completion)
    #expect(outcome.response?.statusCode == 201)
    let url = "https://elsewhere.example/languages?api-version=3.0"
    #expect(outcome.response?.url?.absoluteString == url)
    #expect(outcome.response?.request?.url?.absoluteString == url)
  }

  @Test("mocked responses come at once without a delay")
  func mockingAtOnce() async {
    let mocked = ApiProvider<Translator>(
      baseUrl: nil, mockingBehavior: MockingBehavior(delay: .zero, scheduler: DispatchDelayScheduler()))
    let words = await mocked.response(on: .test, decodeBodyTo: [String: String].self)
    #expect((try? words.get())?["german"] == "Prüfung")
  }
}
