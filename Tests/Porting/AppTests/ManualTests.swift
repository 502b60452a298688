import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
import Moya
import ReactiveMoya
import RxBlocking
import RxMoya
import RxSwift
import XCTest

@testable import App

typealias MyTarget = GitHubAPI

/// Closures as in Moya's manual: without annotations for concurrency, and with older spellings.
final class ManualTests: XCTestCase {
  func testEndpointClosureIsInferred() throws {
    let endpointClosure = { (target: MyTarget) -> Endpoint in
      let url = URL(target: target).absoluteString
      return Endpoint(
        url: url, sampleResponseClosure: { .networkResponse(200, target.sampleData) }, method: target.method,
        task: target.task)
    }
    let provider = MoyaProvider(endpointClosure: endpointClosure)
    XCTAssertEqual(provider.endpoint(.zen).url, "https://api.github.com/zen")
  }

  func testEndpointClosureSignsRequests() throws {
    let endpointClosure = { (target: MyTarget) -> Endpoint in
      let defaultEndpoint = MoyaProvider.defaultEndpointMapping(for: target)

      switch target {
      case .zen:
        return defaultEndpoint
      default:
        return defaultEndpoint.adding(newHTTPHeaderFields: ["AUTHENTICATION_TOKEN": "token"])
      }
    }
    let provider = MoyaProvider<MyTarget>(endpointClosure: endpointClosure)
    XCTAssertNil(provider.endpoint(.zen).httpHeaderFields?["AUTHENTICATION_TOKEN"])
    XCTAssertEqual(
      provider.endpoint(.userProfile("ash")).httpHeaderFields?["AUTHENTICATION_TOKEN"], "token")
  }

  func testRequestClosureEditsRequests() throws {
    let requestClosure = { (endpoint: Endpoint, done: MoyaProvider.RequestResultClosure) in
      do {
        var request: URLRequest = try endpoint.urlRequest()
        request.httpShouldHandleCookies = false
        done(.success(request))
      } catch {
        done(.failure(MoyaError.underlying(error)))
      }
    }
    let provider = MoyaProvider<MyTarget>(
      requestClosure: requestClosure, stubClosure: MoyaProvider.immediatelyStub)
    let response = try provider.rx.request(.zen).toBlocking().single()
    XCTAssertEqual(response.request?.httpShouldHandleCookies, false)
  }

  func testStubClosures() throws {
    let providers = [
      MoyaProvider<MyTarget>(stubClosure: { (_: MyTarget) -> Moya.StubBehavior in return .immediate }),
      MoyaProvider<MyTarget>(stubClosure: MoyaProvider.immediatelyStub),
    ]
    for provider in providers {
      XCTAssertEqual(try provider.rx.request(.zen).toBlocking().single().statusCode, 200)
    }
  }

  func testManager() {
    let manager = Manager(
      configuration: URLSessionConfiguration.default,
      serverTrustPolicyManager: ServerTrustPolicyManager(policies: [:])
    )
    let provider = MoyaProvider<MyTarget>(manager: manager)
    XCTAssertTrue(provider.session === manager)
  }

  func testPlugins() throws {
    var changes: [NetworkActivityChangeType] = []
    let token = "eyeAm.AJsoN.weBTOKen"
    let authPlugin = AccessTokenPlugin(tokenClosure: token)
    let provider = MoyaProvider<MyTarget>(
      stubClosure: MoyaProvider.immediatelyStub,
      plugins: [
        authPlugin,
        NetworkActivityPlugin { change in changes.append(change) },
        CredentialsPlugin { _ -> URLCredential? in
          return URLCredential(user: "user", password: "passwd", persistence: .none)
        },
        NetworkLoggerPlugin(verbose: true, output: { _, _, items in XCTAssertFalse(items.isEmpty) }),
      ])
    let response = try provider.rx.request(.userProfile("ash")).toBlocking().single()
    XCTAssertEqual(response.request?.value(forHTTPHeaderField: "Authorization"), "Bearer \(token)")
    XCTAssertEqual(changes, [.began, .ended])
  }

  func testReactiveSpelling() throws {
    let provider = MoyaProvider<MyTarget>(stubClosure: MoyaProvider.immediatelyStub)
    var values = 0
    provider.reactive.request(.zen).start { event in
      switch event {
      case let .value(response):
        values = response.statusCode
      case let .failed(error):
        XCTFail("\(error)")
      default:
        break
      }
    }
    XCTAssertEqual(values, 200)
  }
}
