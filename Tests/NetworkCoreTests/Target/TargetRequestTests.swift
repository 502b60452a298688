import Foundation
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A target with a closure in place of `modify(_:)`.
private struct Modified: TargetType {
  var path = ""
  var cachePolicy: URLRequest.CachePolicy?
  var change: @Sendable (inout URLRequest) throws -> Void = { _ in }
  var baseURL: URL { URL(staticString: "http://h") }
  var headers: [String: String]? { ["A": "1"] }
  func modify(_ request: inout URLRequest) throws { try change(&request) }
}

@Suite("What a target says of its request")
struct TargetRequestTests {
  private func request(_ target: Modified) throws -> URLRequest {
    try NetworkProvider<Modified>.defaultEndpointMapping(for: target).urlRequest()
  }

  @Test("is asked for last, and survives changes of the endpoint")
  func order() throws {
    let target = Modified { request in
      request.headers.add(
        name: "Sum", value: "\(request.headers.description) \(request.httpBody?.count ?? 0)")
    }
    let endpoint = NetworkProvider<Modified>.defaultEndpointMapping(for: target)
      .adding(newHTTPHeaderFields: ["a": "2"]).replacing(task: .requestData(Data("xyz".utf8)))
    #expect(try endpoint.urlRequest().allHTTPHeaderFields == ["a": "2", "Sum": "a: 2 3"])
  }

  @Test("what it throws fails the request, wrapped once")
  func failure() {
    for error in [TransferError.cancelled as any Error, NetworkError.cancelled] {
      let outcome = Outcome()
      NetworkProvider<Modified>(stubClosure: MoyaProvider.immediatelyStub)
        .request(Modified { _ in throw error }, completion: outcome.completion)
      #expect(outcome.summaries == ["cancelled"])
    }
  }

  @Test(
    "the transport is told what caches may do",
    arguments: [
      (nil, TransportRequest.CachePolicy.useProtocol), (.useProtocolCachePolicy, .useProtocol),
      (.reloadIgnoringLocalCacheData, .reload),
      (.reloadIgnoringLocalAndRemoteCacheData, .reloadEverywhere),
      (.reloadRevalidatingCacheData, .revalidate), (.returnCacheDataElseLoad, .storedElseLoad),
      (.returnCacheDataDontLoad, .storedOnly),
    ] as [(URLRequest.CachePolicy?, TransportRequest.CachePolicy)])
  func cachePolicy(policy: URLRequest.CachePolicy?, expected: TransportRequest.CachePolicy) {
    let transport = ScriptedTransport { $0.answer() }
    NetworkProvider<Modified>(transport: transport).request(Modified(cachePolicy: policy)) { _ in }
    #expect(transport.transfers.map(\.request.cachePolicy) == [expected])
  }

  @Test("CR, LF and NUL are refused by name", arguments: ["a\r", "\n", "x\u{0}y"])
  func lineBreaks(path: String) {
    let outcome = Outcome()
    NetworkProvider<Modified>(stubClosure: MoyaProvider.immediatelyStub)
      .request(Modified(path: path), completion: outcome.completion)
    #expect(outcome.error?.transferError == .invalidField(name: "path", value: path))
    let endpoint = Endpoint(
      url: "http://h/\(path)", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
      task: .requestPlain, httpHeaderFields: nil)
    let error = #expect(throws: NetworkError.self) { try endpoint.urlRequest() }
    #expect(error?.transferError == .invalidField(name: "url", value: "http://h/\(path)"))
  }
}
