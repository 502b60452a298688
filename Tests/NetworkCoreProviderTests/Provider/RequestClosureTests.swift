import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The requestClosure")
struct RequestClosureTests {
  private typealias Provider = NetworkProvider<GitHub>

  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let request = URLRequest(url: URL(staticString: "http://h/signed"))

  @Test("may provide the request later")
  func later() throws {
    defer { transport.finish() }
    let pending = Lock<Provider.RequestResultClosure?>(nil)
    Provider(requestClosure: { _, done in pending.withLock { $0 = done } }, transport: transport)
      .request(.zen, completion: outcome.completion)
    #expect(transport.transfers.isEmpty)
    let done = try #require(pending.withLock { $0 })
    done(.success(request))
    #expect(transport.transfers.map(\.request.url) == ["http://h/signed"])
  }

  @Test("may provide one request; a second one is ignored")
  func twice() {
    defer { transport.finish() }
    let request = request
    Provider(
      requestClosure: { _, done in
        done(.success(request))
        done(.success(request))
        done(.failure(.requestMapping("x")))
      }, transport: transport
    ).request(.zen, completion: outcome.completion)
    #expect(transport.transfers.count == 1)
    #expect(outcome.count == 0)
  }

  @Test("that releases its closure without calling it ends the request with an error")
  func never() {
    Provider(requestClosure: { _, _ in }, transport: transport).request(.zen, completion: outcome.completion)
    #expect(outcome.count == 1)
    #expect(
      outcome.error?.localizedDescription
        == "The requestClosure released its closure without calling it. Call the closure exactly once.")
  }

  @Test("passes URL and parameter errors unchanged, and wraps an encoder's error")
  func defaultMapping() {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws { throw TransferError.timedOut(after: .seconds(1)) }
    }
    func result(_ url: String, _ task: HTTPTask) -> NetworkError? {
      let outcome = Lock<NetworkError?>(nil)
      let endpoint = Endpoint(
        url: url, sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post, task: task,
        httpHeaderFields: nil)
      Provider.defaultRequestMapping(for: endpoint) { result in
        if case .failure(let error) = result { outcome.withLock { $0 = error } }
      }
      return outcome.withLock { $0 }
    }
    guard case .requestMapping("http://[")? = result("http://[", .requestPlain) else {
      Issue.record("not a requestMapping")
      return
    }
    let parameters = HTTPTask.requestParameters(parameters: ["a": Date()], encoding: JSONEncoding.default)
    guard
      case .parameterEncoding(ParameterEncodingError.invalidJSONValue(path: "a", value: _))? = result(
        "http://h", parameters)
    else {
      Issue.record("not a parameterEncoding")
      return
    }
    guard
      case .underlying(NetworkError.encodableMapping(let error), nil)? = result(
        "http://h", .requestJSONEncodable(Failing()))
    else {
      Issue.record("not an encodableMapping in an underlying")
      return
    }
    #expect(error as? TransferError == .timedOut(after: .seconds(1)))
  }
}
