import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The request of an endpoint")
struct EndpointRequestTests {
  @Test("matches the vectors", arguments: TestVector.rows(of: "endpoint_request"))
  func row(_ vector: TestVector) throws {
    guard vector.input.task != .null else { return try mapping(vector) }
    let endpoint = Endpoint(
      url: try #require(vector.input.url.string), sampleResponseClosure: { .networkResponse(200, Data()) },
      method: HTTPMethod(rawValue: try #require(vector.input.method.string)),
      task: try task(vector.input.task),
      httpHeaderFields: vector.input.headers.object?.compactMapValues(\.string))
    if let error = vector.expected.error.string {
      #expect(error == name(of: #expect(throws: NetworkError.self) { try endpoint.urlRequest() }))
      return
    }
    let request = try endpoint.urlRequest()
    #expect(request.url?.absoluteString == vector.expected.url.string)
    #expect(request.httpBody.map { String(decoding: $0, as: UTF8.self) } == vector.expected.body.string)
    let fields = vector.expected.headers.object?.compactMapValues(\.string)
    #expect(request.allHTTPHeaderFields == fields)
    #expect(request.httpMethod == vector.input.method.string)
  }

  /// The errors of an endpoint: some are passed unchanged, others are wrapped.
  private func mapping(_ vector: TestVector) throws {
    try #require(vector.name.hasPrefix("defaultRequestMapping"))
    try #require(
      vector.expected.string?.contains("only requestMapping and parameterEncoding pass through") == true)
    func error(_ task: HTTPTask, url: String = "http://h") -> NetworkError? {
      let endpoint = Endpoint(
        url: url, sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post, task: task,
        httpHeaderFields: nil)
      let error = Lock<NetworkError?>(nil)
      NetworkProvider<GitHub>.defaultRequestMapping(for: endpoint) { result in
        if case .failure(let failure) = result { error.withLock { $0 = failure } }
      }
      return error.withLock { $0 }
    }
    guard case .underlying(NetworkError.encodableMapping, nil)? = error(.requestJSONEncodable(Double.nan))
    else {
      Issue.record("encodableMapping was not wrapped")
      return
    }
    #expect(name(of: error(.requestPlain, url: "http://[")) == "requestMapping")
    let invalid = HTTPTask.requestParameters(parameters: ["k": Double.nan], encoding: JSONEncoding.default)
    #expect(name(of: error(invalid)) == "parameterEncoding")
  }

  private func name(of error: NetworkError?) -> String {
    switch error {
    case .requestMapping: "requestMapping"
    case .parameterEncoding: "parameterEncoding"
    default: "\(String(describing: error))"
    }
  }

  private func task(_ row: JSONValue) throws -> HTTPTask {
    let data = Data((row.data.string ?? "").utf8)
    let encoding: any ParameterEncoding = row.encoding == "json" ? JSONEncoding.default : URLEncoding.httpBody
    switch row.kind.string {
    case "requestPlain":
      return .requestPlain
    case "requestData":
      return .requestData(data)
    case "requestJSONEncodable":
      return .requestJSONEncodable(row.value.object?.compactMapValues(\.string))
    case "requestParameters":
      return .requestParameters(parameters: try #require(row.parameters.asParameters), encoding: encoding)
    case "requestCompositeData":
      return .requestCompositeData(
        bodyData: data, urlParameters: try #require(row.urlParameters.asParameters))
    case "requestCompositeParameters":
      return .requestCompositeParameters(
        bodyParameters: try #require(row.bodyParameters.asParameters), bodyEncoding: encoding,
        urlParameters: try #require(row.urlParameters.asParameters))
    case "uploadFile":
      return .uploadFile(URL(fileURLWithPath: "/nowhere"))
    case "uploadCompositeMultipartFormData":
      return .uploadCompositeMultipartFormData(
        [], urlParameters: try #require(row.urlParameters.asParameters))
    default:
      throw NetworkError.requestMapping("unknown task \(row)")
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self = .string(value) }
}
