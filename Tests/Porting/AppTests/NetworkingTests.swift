import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
import Moya
import RxBlocking
import RxMoya
import RxSwift
import XCTest

@testable import App

final class NetworkingTests: XCTestCase {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("porting.txt")

  private func request(of target: GitHubAPI) throws -> URLRequest {
    return try MoyaProvider.defaultEndpointMapping(for: target).urlRequest()
  }

  func testRequestsOfTargets() throws {
    XCTAssertEqual(
      try request(of: .repositories(user: "ash", page: 2)).url?.absoluteString,
      "https://api.github.com/users/ash/repos?page=2&sort=pushed")
    let issue = try request(of: .createIssue(repository: "a/b", title: "t", labels: ["x"]))
    XCTAssertEqual(issue.httpMethod, "POST")
    XCTAssertEqual(issue.value(forHTTPHeaderField: "Content-Type"), "application/json")
    let profile = try request(of: .updateProfile(Profile(login: "l", id: 1, avatarUrl: nil)))
    XCTAssertEqual(try JSONDecoder().decode([String: Int].self, from: Data(#"{"id":1}"#.utf8)), ["id": 1])
    XCTAssertNotNil(profile.httpBody)
    let hook = try request(of: .hook(body: ["a": [1, 2]], query: ["b": true]))
    XCTAssertEqual(hook.url?.query, "b=1")
    XCTAssertEqual(hook.httpBody.map { String(decoding: $0, as: UTF8.self) }, "a%5B%5D=1&a%5B%5D=2")
    XCTAssertEqual(try request(of: .rawHook(Data("x".utf8), query: ["q": "ä"])).url?.query, "q=%C3%A4")
  }

  func testPublicTarget() throws {
    let provider = MoyaProvider<FeedbackAPI>(stubClosure: MoyaProvider.immediatelyStub)
    let sent = try provider.rx.request(.send(text: "good")).toBlocking().single()
    XCTAssertEqual(sent.request?.httpMethod, "POST")
    XCTAssertEqual(sent.request?.httpBody, Data(#"{"text":"good"}"#.utf8))
    XCTAssertEqual(try provider.rx.request(.list).map([String].self).toBlocking().single(), ["good"])
  }

  func testProviderAddsFieldsAndToken() throws {
    let spy = SpyPlugin()
    let provider = Providers.github(token: { "TOKEN" }, plugins: [RequestIDPlugin { "id" }, spy])
    let response = try provider.rx.request(.userProfile("ash")).toBlocking().single()
    XCTAssertEqual(response.request?.value(forHTTPHeaderField: "Authorization"), "Bearer TOKEN")
    XCTAssertEqual(response.request?.value(forHTTPHeaderField: "X-App"), "Porting")
    XCTAssertEqual(response.request?.value(forHTTPHeaderField: "X-Request-ID"), "id")
    XCTAssertEqual(response.request?.timeoutInterval, 10)
    XCTAssertEqual(spy.events, ["send GET https://api.github.com/users/ash", "received 200"])
    let zen = try provider.rx.request(.zen).mapString().toBlocking().single()
    XCTAssertTrue(zen.hasPrefix("Half measures"))
  }

  func testUploadsAreStubbed() throws {
    try Data("content".utf8).write(to: file)
    let provider = Providers.github(token: { "" })
    for target in [
      GitHubAPI.uploadAvatar(Data()), .uploadAsset(file), .uploadFiles([file], description: "d"),
    ] {
      XCTAssertEqual(try provider.rx.request(target).toBlocking().single().statusCode, 200)
    }
  }

  func testValidationFailsTheRequest() {
    let provider = Providers.github(token: { "" })
    XCTAssertThrowsError(try provider.rx.request(.star(repository: "a/b")).toBlocking().single()) { error in
      guard case MoyaError.statusCode(let response)? = error as? MoyaError else {
        // Moya itself wraps this error.
        return XCTAssertNotNil((error as? MoyaError)?.response)
      }
      XCTAssertEqual(response.statusCode, 200)
    }
  }

  func testTokenIsRefreshedOnce() throws {
    let auth = MoyaProvider<AuthAPI>(stubClosure: MoyaProvider.immediatelyStub)
    let refresher = TokenRefresher(provider: auth)
    let provider = MoyaProvider<GitHubAPI>(
      endpointClosure: { target in
        let status = refresher.token.value == "new" ? 200 : 401
        return Endpoint(
          url: URL(target: target).absoluteString,
          sampleResponseClosure: { .networkResponse(status, target.sampleData) }, method: target.method,
          task: target.task, httpHeaderFields: target.headers)
      }, stubClosure: MoyaProvider.immediatelyStub)
    let request = Single.deferred { provider.rx.request(.userProfile("ash")) }
    let response = try refresher.authorized(request).toBlocking().single()
    XCTAssertEqual(response.statusCode, 200)
    XCTAssertEqual(refresher.token.value, "new")
  }

  func testOnlineProviderWaits() throws {
    let online = PublishSubject<Bool>()
    let provider = OnlineProvider<GitHubAPI>(
      stubClosure: MoyaProvider.immediatelyStub, online: online.asObservable())
    var texts: [String] = []
    let disposable = provider.request(.zen).mapString().subscribe(onNext: { texts.append($0) })
    online.onNext(false)
    XCTAssertEqual(texts.count, 0)
    online.onNext(true)
    XCTAssertEqual(texts.count, 1)
    disposable.dispose()
  }

  func testSubclassComesBeforeTheRequest() {
    let provider = RefreshingProvider<GitHubAPI>(stubClosure: MoyaProvider.immediatelyStub)
    var paths: [String] = []
    provider.willRequest = { paths.append($0.path) }
    var results: [Result<Moya.Response, MoyaError>] = []
    provider.request(.zen) { results.append($0) }
    XCTAssertEqual(paths, ["/zen"])
    XCTAssertEqual(results.count, 1)
  }

  func testDelayedStubCanBeCancelled() {
    let provider = MoyaProvider<GitHubAPI>(stubClosure: MoyaProvider.delayedStub(10))
    let done = expectation(description: "cancelled")
    let token = provider.request(.zen, callbackQueue: DispatchQueue.global()) { result in
      if case .failure = result { done.fulfill() }
    }
    token.cancel()
    XCTAssertTrue(token.isCancelled)
    wait(for: [done], timeout: 60)
  }

  func testCallbacksOnAQueue() {
    let provider = MoyaProvider<GitHubAPI>(stubClosure: MoyaProvider.delayedStub(0.01), callbackQueue: .main)
    let done = expectation(description: "answered")
    provider.request(
      .zen,
      progress: { progress in
        XCTAssertLessThanOrEqual(progress.progress, 1)
      },
      completion: { result in
        dispatchPrecondition(condition: .onQueue(.main))
        XCTAssertEqual(try? result.get().statusCode, 200)
        done.fulfill()
      })
    wait(for: [done], timeout: 60)
  }

  func testInterceptor() throws {
    var attempts = 0
    let session = Session(interceptor: TokenInterceptor { "abc" })
    let provider = MoyaProvider<GitHubAPI>(
      endpointClosure: { target in
        Endpoint(
          url: URL(target: target).absoluteString,
          sampleResponseClosure: {
            attempts += 1
            return .networkResponse(attempts < 3 ? 503 : 200, target.sampleData)
          }, method: target.method, task: target.task, httpHeaderFields: target.headers)
      }, stubClosure: MoyaProvider.immediatelyStub, session: session)
    let response = try provider.rx.request(.zen).toBlocking(timeout: 60).single()
    XCTAssertEqual(attempts, 3)
    XCTAssertEqual(response.request?.value(forHTTPHeaderField: "Authorization"), "Bearer abc")
  }
}
