import Dispatch
import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Code in Moya's spelling, most of which only needs to compile.
private enum Service: TargetType, @unchecked Sendable {
  case zen
  case create(parameters: [String: Any])

  var baseURL: URL { return URL(string: "https://api.myservice.com")! }
  var path: String { return "/zen" }
  var method: Moya.Method { return .get }
  var task: Moya.Task {
    switch self {
    case .zen: return .requestPlain
    case .create(let parameters):
      return .requestParameters(parameters: parameters, encoding: JSONEncoding.default)
    }
  }
  var validationType: ValidationType { return .successCodes }
  var headers: [String: String]? { return ["Content-type": "application/json"] }
  var sampleData: Data { return "{}".data(using: .utf8)! }
}

@Suite("Moya's names")
struct MoyaNamesTests {
  @Test("a provider is written as for Moya")
  func provider() throws {
    let endpointClosure: MoyaProvider<Service>.EndpointClosure = { (target: Service) -> Endpoint in
      let url = URL(target: target).absoluteString
      return Endpoint(
        url: url, sampleResponseClosure: { .networkResponse(200, target.sampleData) }, method: target.method,
        task: target.task, httpHeaderFields: target.headers
      ).adding(newHTTPHeaderFields: ["APP_NAME": "MY_AWESOME_APP"])
    }
    let requestClosure = { @Sendable (endpoint: Endpoint, done: MoyaProvider<Service>.RequestResultClosure) in
      do {
        var request = try endpoint.urlRequest()
        request.httpShouldHandleCookies = false
        done(.success(request))
      } catch {
        done(.failure(MoyaError.underlying(error, nil)))
      }
    }
    let provider = MoyaProvider<Service>(
      endpointClosure: endpointClosure, requestClosure: requestClosure,
      stubClosure: { (_: Service) -> Moya.StubBehavior in return .immediate })
    let outcome = CompletionRecorder()
    let token: any Moya.Cancellable = provider.request(.create(parameters: ["a": 1])) { result in
      outcome.completion(result)
      switch result {
      case let .success(moyaResponse):
        let _: Moya.Response = moyaResponse
      case let .failure(error):
        let _: MoyaError = error
      }
    }
    token.cancel()
    let sent = try #require(outcome.response?.request)
    #expect(sent.value(forHTTPHeaderField: "APP_NAME") == "MY_AWESOME_APP")
    #expect(sent.httpBody == Data(#"{"a":1}"#.utf8))
  }

  @Test("the static stub closures are inferred")
  func stubs() {
    _ = MoyaProvider<Service>(stubClosure: MoyaProvider.immediatelyStub)
    _ = MoyaProvider<Service>(stubClosure: MoyaProvider.neverStub)
    _ = MoyaProvider<Service>(stubClosure: MoyaProvider.delayedStub(0.2), callbackQueue: .global())
    #expect(MoyaProvider<Service>.immediatelyStub(.zen) == .immediate)
    #expect(MoyaProvider<Service>.neverStub(.zen) == .never)
    #expect(MoyaProvider<Service>.delayedStub(2)(.zen) == .delayed(seconds: 2))
  }

  @Test("a provider can be subclassed")
  func subclass() {
    final class OnlineProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
      override func request(
        _ target: Target, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
        completion: @escaping Completion
      ) -> any Cancellable {
        super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
      }
    }
    let outcome = CompletionRecorder()
    _ = OnlineProvider<Service>(stubClosure: MoyaProvider.immediatelyStub)
      .request(.zen, completion: outcome.completion)
    #expect(outcome.summaries == ["200"])
  }
}
