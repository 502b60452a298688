import Foundation
import MoyaCompatibility
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Endpoints in Moya's manual", .timeLimit(.minutes(5)))
struct MoyaManualEndpointsTests {
  // `Endpoint` has no generic parameter, as in Moya since 11, because one name cannot be both.

  @Test("an endpoint closure can set everything that the provider's default closure sets")
  func mapping() async throws {
    let endpointClosure = { @Sendable (target: ForgeAPI) -> Endpoint in
      let url = URL(target: target).absoluteString
      return Endpoint(
        url: url, sampleResponseClosure: { .networkResponse(200, target.sampleData) }, method: target.method,
        task: target.task)
    }
    let own = endpointClosure(.userRepositories("ash"))
    let usual = MoyaProvider.defaultEndpointMapping(for: ForgeAPI.userRepositories("ash"))
    #expect(own.url == usual.url)
    #expect(own.method == usual.method)
    #expect(try own.urlRequest().url == usual.urlRequest().url)
    let provider = MoyaProvider<ForgeAPI>(
      endpointClosure: endpointClosure, stubClosure: MoyaProvider.immediatelyStub)
    #expect(try await provider.result(of: .zen).get().data == ForgeAPI.zen.sampleData)
  }

  @Test("an endpoint closure can add a field to all requests")
  func adding() async throws {
    let server = try LoopbackServer.forge()
    let endpointClosure = { @Sendable (target: ForgeAPI) -> Endpoint in
      let defaultEndpoint = server.endpoint(target)
      return defaultEndpoint.adding(newHTTPHeaderFields: ["APP_NAME": "MY_AWESOME_APP"])
    }
    let provider = MoyaProvider<ForgeAPI>(endpointClosure: endpointClosure)
    _ = try await provider.result(of: .zen).get()
    #expect(server.log.requests.first?.headers["APP_NAME"] == "MY_AWESOME_APP")
    #expect(server.log.requests.first?.headers["Content-Type"] == "application/json")
  }

  @Test("an endpoint closure can sign all requests but one")
  func signing() {
    enum GlobalAppStorage { static let authToken = "token" }
    let endpointClosure = { @Sendable (target: ForgeAPI) -> Endpoint in
      let defaultEndpoint = MoyaProvider.defaultEndpointMapping(for: target)

      switch target {
      case .authenticate:
        return defaultEndpoint
      default:
        return defaultEndpoint.adding(
          newHTTPHeaderFields: ["AUTHENTICATION_TOKEN": GlobalAppStorage.authToken])
      }
    }
    let provider = MoyaProvider<ForgeAPI>(endpointClosure: endpointClosure)
    let tokens = [ForgeAPI.zen, .authenticate].map {
      provider.endpoint($0).httpHeaderFields?["AUTHENTICATION_TOKEN"]
    }
    #expect(tokens == ["token", nil])
  }

  @Test("a sample can be an error, a status with a body, or a complete head with a body")
  func samples() async throws {
    let url = URL(target: ForgeAPI.zen)
    let head = try #require(
      HTTPURLResponse(url: url, statusCode: 418, httpVersion: nil, headerFields: ["A": "b"]))
    let failure = NSError(domain: "test", code: 7)
    let samples: [EndpointSampleResponse] = [
      .networkError(failure), .networkResponse(503, Data("busy".utf8)), .response(head, Data("tea".utf8)),
    ]
    var ends: [String] = []
    for sample in samples {
      let provider = MoyaProvider<ForgeAPI>(
        endpointClosure: { target in
          Endpoint(
            url: URL(target: target).absoluteString, sampleResponseClosure: { sample },
            method: target.method, task: target.task, httpHeaderFields: target.headers)
        }, stubClosure: MoyaProvider.immediatelyStub)
      switch await provider.result(of: .zen) {
      case .success(let response):
        ends.append("\(response.statusCode) \(try response.mapString()) \(response.headers["A"] ?? "-")")
      case .failure(.underlying(let error as NSError, _)): ends.append("\(error.domain) \(error.code)")
      case .failure(let error): ends.append("\(error)")
      }
    }
    #expect(ends == ["test 7", "503 busy -", "418 tea b"])
  }

  @Test("a request closure can inspect each request before it is sent")
  func requestClosure() async throws {
    let notes = Log()
    let requestClosure = { @Sendable (endpoint: Endpoint, done: MoyaProvider.RequestResultClosure) in
      do {
        let request = try endpoint.urlRequest()
        notes.add(request.url?.path ?? "-")
        done(.success(request))
      } catch {
        done(.failure(MoyaError.underlying(error)))
      }
    }
    let provider = MoyaProvider<ForgeAPI>(
      requestClosure: requestClosure, stubClosure: MoyaProvider.immediatelyStub)
    _ = try await provider.result(of: .zen).get()
    _ = try await provider.result(of: .userProfile("ash")).get()
    #expect(notes.all == ["/zen", "/users/ash"])
  }

  @Test("an error of a request closure, wrapped without a response, becomes the error of the request")
  func requestClosureError() async {
    let provider = MoyaProvider<ForgeAPI>(
      endpointClosure: { target in
        Endpoint(
          url: "http://[", sampleResponseClosure: { .networkResponse(200, target.sampleData) },
          method: target.method, task: target.task)
      },
      requestClosure: { endpoint, done in
        do {
          done(.success(try endpoint.urlRequest()))
        } catch {
          done(.failure(MoyaError.underlying(error)))
        }
      })
    guard
      case .failure(.underlying(MoyaError.requestMapping("http://["), nil)) = await provider.result(of: .zen)
    else {
      Issue.record("the request is sent, or fails with another error")
      return
    }
  }

  @Test("a request closure can keep cookies out of all requests")
  func cookies() async throws {
    let server = try LoopbackServer { request in
      .text(request.headers["Cookie"] ?? "none").header("Set-Cookie", "a=1; Path=/")
    }
    let requestClosure = { @Sendable (endpoint: Endpoint, done: MoyaProvider.RequestResultClosure) in
      do {
        var request: URLRequest = try endpoint.urlRequest()
        request.httpShouldHandleCookies = false
        done(.success(request))
      } catch {
        done(.failure(MoyaError.underlying(error)))
      }
    }
    let session = Session(configuration: .default)
    let plain = MoyaProvider<ForgeAPI>(endpointClosure: server.endpoint, session: session)
    let closed = MoyaProvider<ForgeAPI>(
      endpointClosure: server.endpoint, requestClosure: requestClosure, session: session)
    _ = try await plain.result(of: .zen).get()
    #expect(try await closed.result(of: .zen).get().mapString() == "none")
    #expect(try await plain.result(of: .zen).get().mapString() == "a=1")
  }
}
