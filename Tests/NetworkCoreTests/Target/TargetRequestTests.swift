import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A target whose `modify(_:)` calls a closure.
private struct ModifiedTarget: TargetType {
  var path = ""
  var cachePolicy: URLRequest.CachePolicy?
  var timeout: Duration?
  var change: @Sendable (inout URLRequest) throws -> Void = { _ in }
  var baseURL: URL { URL(staticString: "http://h") }
  var headers: [String: String]? { ["A": "1"] }
  func modify(_ request: inout URLRequest) throws { try change(&request) }
}

@Suite("Changes of a request by its target")
struct TargetRequestTests {
  private func request(_ target: ModifiedTarget) throws -> URLRequest {
    try NetworkProvider<ModifiedTarget>.defaultEndpointMapping(for: target).urlRequest()
  }

  @Test("come last, and apply to changed endpoints")
  func order() throws {
    let target = ModifiedTarget { request in
      request.headers.add(
        name: "Sum", value: "\(request.headers.description) \(request.httpBody?.count ?? 0)")
    }
    let endpoint = NetworkProvider<ModifiedTarget>.defaultEndpointMapping(for: target)
      .adding(newHTTPHeaderFields: ["a": "2"]).replacing(task: .requestData(Data("xyz".utf8)))
    #expect(try endpoint.urlRequest().allHTTPHeaderFields == ["a": "2", "Sum": "a: 2 3"])
  }

  @Test("replace the target's time limit and cache policy")
  func settings() throws {
    let target = ModifiedTarget(cachePolicy: .returnCacheDataElseLoad, timeout: .seconds(5)) { request in
      request.timeoutInterval = 7
      request.cachePolicy = .reloadIgnoringLocalCacheData
    }
    let changed = try request(target)
    #expect(changed.timeoutInterval == 7)
    #expect(changed.cachePolicy == .reloadIgnoringLocalCacheData)
  }

  @Test("fail the request with their error, wrapped once")
  func failure() {
    for error in [TransferError.cancelled as any Error, NetworkError.cancelled, CancellationError()] {
      let outcome = CompletionRecorder()
      NetworkProvider<ModifiedTarget>(stubClosure: MoyaProvider.immediatelyStub)
        .request(ModifiedTarget { _ in throw error }, completion: outcome.completion)
      #expect(outcome.summaries == ["cancelled"])
    }
  }

  @Test(
    "include the cache policy, which the transport gets",
    arguments: [
      (nil, TransportRequest.CachePolicy.useProtocol), (.useProtocolCachePolicy, .useProtocol),
      (.reloadIgnoringLocalCacheData, .reload),
      (.reloadIgnoringLocalAndRemoteCacheData, .reloadEverywhere),
      (.reloadRevalidatingCacheData, .revalidate), (.returnCacheDataElseLoad, .storedElseLoad),
      (.returnCacheDataDontLoad, .storedOnly),
    ] as [(URLRequest.CachePolicy?, TransportRequest.CachePolicy)])
  func cachePolicy(policy: URLRequest.CachePolicy?, expected: TransportRequest.CachePolicy) {
    let transport = ScriptedTransport { $0.respond() }
    NetworkProvider<ModifiedTarget>(transport: transport).request(ModifiedTarget(cachePolicy: policy)) { _ in
    }
    #expect(transport.transfers.map(\.request.cachePolicy) == [expected])
  }

  @Test(
    "cannot include CR, LF or NUL in the path or URL, which the error names",
    arguments: ["a\r", "\n", "x\u{0}y"])
  func lineBreaks(path: String) {
    let outcome = CompletionRecorder()
    NetworkProvider<ModifiedTarget>(stubClosure: MoyaProvider.immediatelyStub)
      .request(ModifiedTarget(path: path), completion: outcome.completion)
    #expect(outcome.error?.transferError == .invalidField(name: "path", value: path))
    let endpoint = Endpoint(
      url: "http://h/\(path)", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
      task: .requestPlain, httpHeaderFields: nil)
    let error = #expect(throws: NetworkError.self) { try endpoint.urlRequest() }
    #expect(error?.transferError == .invalidField(name: "url", value: "http://h/\(path)"))
  }
}
