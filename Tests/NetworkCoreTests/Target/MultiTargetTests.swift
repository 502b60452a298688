import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A target with a distinct value for every property.
private struct FullTarget: TargetType, AccessTokenAuthorizable {
  var baseURL: URL { URL(staticString: "http://h") }
  var path: String { "/p" }
  var method: HTTPMethod { .put }
  var task: HTTPTask { .requestData(Data("body".utf8)) }
  var headers: [String: String]? { ["A": "1"] }
  var sampleData: Data { Data("sample".utf8) }
  var sampleResponse: EndpointSampleResponse { .networkResponse(201, sampleData) }
  var validationType: ValidationType { .customCodes([201]) }
  var acceptableContentTypes: [String]? { ["*/*"] }
  var url: URL { URL(staticString: "http://h/whole") }
  var timeout: Duration? { .milliseconds(2500) }
  var cachePolicy: URLRequest.CachePolicy? { .reloadIgnoringLocalCacheData }
  var responseBodyLimit: Int? { 7 }
  var sharesInflightRequests: Bool { true }
  var authorizationType: AuthorizationType? { .custom("Token") }
  func modify(_ request: inout URLRequest) throws { request.headers.add(name: "B", value: "2") }
}

@Suite("MultiTarget")
struct MultiTargetTests {
  @Test("forwards every property")
  func forwards() throws {
    let target = MultiTarget(FullTarget())
    #expect(target.baseURL == FullTarget().baseURL)
    #expect(target.path == "/p")
    #expect(target.method == .put)
    #expect(target.headers == ["A": "1"])
    #expect(target.sampleData == FullTarget().sampleData)
    #expect(target.validationType == .customCodes([201]))
    #expect(target.acceptableContentTypes == ["*/*"])
    #expect(target.timeout == .milliseconds(2500))
    #expect(target.cachePolicy == .reloadIgnoringLocalCacheData)
    #expect(target.responseBodyLimit == 7)
    #expect(target.sharesInflightRequests)
    #expect(target.authorizationType == .custom("Token"))
    #expect(MultiTarget(GitHub.zen).authorizationType == nil)
    let request = try NetworkProvider<MultiTarget>().endpoint(target).urlRequest()
    #expect(try request == NetworkProvider<FullTarget>().endpoint(FullTarget()).urlRequest())
    #expect(request.url?.absoluteString == "http://h/whole")
    #expect(request.allHTTPHeaderFields == ["A": "1", "B": "2"])
    #expect(request.httpBody == Data("body".utf8))
    #expect(request.timeoutInterval == 2.5)
    #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
  }

  @Test("its stub is the inner target's")
  func stub() {
    let outcome = CompletionRecorder()
    NetworkProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)
      .request(MultiTarget(FullTarget()), completion: outcome.completion)
    #expect(outcome.summaries == ["201"])
    #expect(outcome.response?.data == Data("sample".utf8))
  }

  @Test(
    "is wrapped once, and plugins get the inner target, however deep it is",
    arguments: [
      MultiTarget(MultiTarget(FullTarget())), .target(MultiTarget.target(MultiTarget(FullTarget()))),
    ])
  func unwraps(target: MultiTarget) {
    struct TargetLogger: PluginType {
      let log: Log
      func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        log("prepare \(type(of: target))")
        return request
      }
      func willSend(_ request: any RequestType, target: any TargetType) {
        log("willSend \(type(of: target))")
      }
      func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
        log("didReceive \(type(of: target))")
      }
      func process(
        _ result: Result<Response, NetworkError>, target: any TargetType
      ) -> Result<Response, NetworkError> {
        log("process \(type(of: target))")
        return result
      }
    }
    let log = Log()
    NetworkProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub, plugins: [TargetLogger(log: log)])
      .request(target) { _ in }
    #expect(
      log.all == ["prepare FullTarget", "willSend FullTarget", "didReceive FullTarget", "process FullTarget"])
  }

  @Test("authorization types are compared by the word that they send")
  func authorizationTypes() {
    #expect(AuthorizationType.basic.value == "Basic")
    #expect(AuthorizationType.custom("Bearer") == .bearer)
    #expect(Set<AuthorizationType>([.custom("Bearer"), .bearer, .basic]).count == 2)
  }
}
