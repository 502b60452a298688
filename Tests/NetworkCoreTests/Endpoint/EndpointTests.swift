import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("An endpoint")
struct EndpointTests {
  private func endpoint(
    url: String = "http://h/x", method: HTTPMethod = .post, task: HTTPTask = .requestPlain,
    headers: [String: String]? = ["A": "1"]
  ) -> Endpoint {
    Endpoint(
      url: url, sampleResponseClosure: { .networkResponse(200, Data()) }, method: method, task: task,
      httpHeaderFields: headers)
  }

  @Test("replaces old header fields with new ones")
  func adding() {
    #expect(
      endpoint().adding(newHTTPHeaderFields: ["A": "2", "B": "3"]).httpHeaderFields == ["A": "2", "B": "3"])
    #expect(endpoint(headers: nil).adding(newHTTPHeaderFields: ["B": "3"]).httpHeaderFields == ["B": "3"])
    #expect(endpoint().adding(newHTTPHeaderFields: ["a": "2"]).httpHeaderFields == ["a": "2"])
  }

  @Test("keeps everything but the task when the task is replaced")
  func replacing() throws {
    let replaced = endpoint().replacing(task: .requestData(Data("x".utf8)))
    #expect(try replaced.urlRequest().httpBody == Data("x".utf8))
    #expect(replaced.url == "http://h/x")
    #expect(replaced.method == .post)
    #expect(replaced.httpHeaderFields == ["A": "1"])
  }

  @Test("keeps its sample response when its fields or its task are replaced")
  func samples() {
    let original = Endpoint(
      url: "http://h", sampleResponseClosure: { .networkResponse(201, Data()) }, method: .get,
      task: .requestPlain)
    for copy in [
      original.adding(newHTTPHeaderFields: ["A": "1"]), original.replacing(task: .requestData(Data())),
    ] {
      let sample = copy.sampleResponseClosure()
      guard case .networkResponse(201, _) = sample else {
        Issue.record("\(sample)")
        continue
      }
    }
  }

  @Test("escapes invalid characters only in a URL with a scheme, and rejects any other text that needs it")
  func invalidURL() throws {
    #expect(try endpoint(url: "http://h/a b").urlRequest().url?.absoluteString == "http://h/a%20b")
    #expect(try endpoint(url: "users/ash").urlRequest().url?.absoluteString == "users/ash")
    for url in ["some invalid URL", "ünder", ""] {
      let error = #expect(throws: NetworkError.self) { try endpoint(url: url).urlRequest() }
      guard case .requestMapping(url) = error else {
        Issue.record("\(url): \(String(describing: error))")
        continue
      }
    }
    #expect(endpoint(url: "a b") == endpoint(url: "a b"))
  }

  @Test("is compared by URL, method, header fields and body")
  func equality() {
    let body = HTTPTask.requestData(Data("x".utf8))
    #expect(endpoint(task: body) == endpoint(task: body))
    #expect(endpoint(task: body).hashValue == endpoint(task: body).hashValue)
    let query = HTTPTask.requestParameters(parameters: ["a": 1], encoding: URLEncoding.queryString)
    #expect(Set([endpoint(url: "http://h/x?a=1"), endpoint(url: "http://h/x", task: query)]).count == 1)
    #expect(endpoint(task: body) != endpoint(task: .requestData(Data("y".utf8))))
    #expect(endpoint() != endpoint(headers: ["A": "2"]))
    #expect(endpoint() != endpoint(url: "http://h/y"))
    #expect(endpoint() != endpoint(method: .put))
  }

  @Test("encodes equal values as equal JSON with sorted keys, whatever the encoder")
  func json() throws {
    struct Value: Encodable {
      var d = 4
      var c = 3
      var b = 2
      var a = 1
      var e = 5
      var aB = Date(timeIntervalSince1970: 0)
    }
    let custom = JSONEncoder()
    custom.dateEncodingStrategy = .iso8601
    custom.keyEncodingStrategy = .convertToSnakeCase
    let date = #""1970-01-01T00:00:00Z""#
    let parameters: [String: Any] = ["e": 5, "b": ["z": 1, "y": 2], "a": 1]
    for (task, text) in [
      (.requestJSONEncodable(Value()), #"{"a":1,"aB":-978307200,"b":2,"c":3,"d":4,"e":5}"#),
      (
        .requestCustomJSONEncodable(Value(), encoder: custom),
        #"{"a":1,"a_b":\#(date),"b":2,"c":3,"d":4,"e":5}"#
      ),
      (
        .requestEncodable(Value(), encoder: JSONParameterEncoder(encoder: custom)),
        #"{"a":1,"a_b":\#(date),"b":2,"c":3,"d":4,"e":5}"#
      ),
      (
        .requestParameters(parameters: parameters, encoding: JSONEncoding.default),
        #"{"a":1,"b":{"y":2,"z":1},"e":5}"#
      ),
    ] as [(HTTPTask, String)] {
      let first = endpoint(task: task)
      #expect(try String(decoding: first.urlRequest().httpBody ?? Data(), as: UTF8.self) == text)
      // Foundation's order can differ between calls, but does not always differ.
      for _ in 0..<300 { #expect(endpoint(task: task) == first) }
    }
    final class FixedEncoder: JSONEncoder, @unchecked Sendable {
      override func encode<T: Encodable>(_ value: T) throws -> Data { Data("own".utf8) }
    }
    let own = try endpoint(task: .requestCustomJSONEncodable(1, encoder: FixedEncoder())).urlRequest()
    #expect(own.httpBody == Data("own".utf8))
  }

  @Test("is equal to an endpoint with an equal form, and not to one with another form")
  func forms() {
    func form(_ text: String, _ boundary: String? = nil) -> HTTPTask {
      .uploadMultipartFormData(
        MultipartFormData(
          boundary: boundary, parts: [MultipartFormBodyPart(provider: .data(Data(text.utf8)), name: "a")]))
    }
    #expect(endpoint(task: form("x")) == endpoint(task: form("x")))
    #expect(endpoint(task: form("x")).hashValue == endpoint(task: form("x")).hashValue)
    #expect(endpoint(task: form("x")) != endpoint(task: form("y")))
    #expect(endpoint(task: form("x", "B")) != endpoint(task: form("x", "C")))
    #expect(endpoint(task: form("x")) != endpoint())
    #expect(endpoint(task: form("x")) != endpoint(url: "http://h/y", task: form("x")))
    let file = HTTPTask.uploadFile(URL(fileURLWithPath: "/a"))
    #expect(endpoint(task: file) == endpoint(task: file))
    #expect(endpoint(task: file) != endpoint(task: .uploadFile(URL(fileURLWithPath: "/b"))))
    #expect(endpoint(task: .uploadData(Data("x".utf8))) != endpoint(task: .uploadData(Data("y".utf8))))
  }

  @Test("without a valid URL is equal only to an endpoint with the same URL")
  func unbuildable() {
    #expect(endpoint(url: "http://[") == endpoint(url: "http://["))
    #expect(endpoint(url: "http://[") != endpoint(url: "http://[["))
  }

  @Test(
    "sends parameters in the body and a query, with any encoding",
    arguments: [URLEncoding.default, .queryString, .httpBody])
  func composite(encoding: URLEncoding) throws {
    let task = HTTPTask.requestCompositeParameters(
      bodyParameters: ["b": 1], bodyEncoding: encoding, urlParameters: ["u": 2])
    let request = try endpoint(method: .get, task: task).urlRequest()
    #expect(request.url?.absoluteString == "http://h/x?u=2")
    #expect(request.httpBody == Data("b=1".utf8))
  }

  @Test("sends a JSON body and a query")
  func compositeJSON() throws {
    let task = HTTPTask.requestCompositeParameters(
      bodyParameters: ["b": 1], bodyEncoding: JSONEncoding.default, urlParameters: ["u": 2])
    let request = try endpoint(task: task).urlRequest()
    #expect(request.url?.absoluteString == "http://h/x?u=2")
    #expect(request.httpBody == Data(#"{"b":1}"#.utf8))
  }

  @Test("sends a form in the body and a query, whatever the method")
  func compositeForm() throws {
    let form = URLEncodedFormParameterEncoder.default
    let task = HTTPTask.requestCompositeEncodable(["b": 1], encoder: form, urlParameters: ["u": 2])
    let request = try endpoint(method: .get, task: task).urlRequest()
    #expect(request.url?.absoluteString == "http://h/x?u=2")
    #expect(request.httpBody == Data("b=1".utf8))
  }

  @Test("sends composite parameters with the formats of their encoding")
  func compositeFormats() throws {
    let task = HTTPTask.requestCompositeParameters(
      bodyParameters: ["b": [true, false]],
      bodyEncoding: URLEncoding(arrayEncoding: .noBrackets, boolEncoding: .literal), urlParameters: [:])
    #expect(try endpoint(task: task).urlRequest().httpBody == Data("b=true&b=false".utf8))
  }

  @Test("sends a composite form with its encoder")
  func compositeFormEncoder() throws {
    let form = URLEncodedFormParameterEncoder(encoder: URLEncodedFormEncoder(boolEncoding: .literal))
    let task = HTTPTask.requestCompositeEncodable(["b": true], encoder: form, urlParameters: [:])
    #expect(try endpoint(task: task).urlRequest().httpBody == Data("b=true".utf8))
  }

  @Test(
    "sends a composite form in the body as a subclass of its encoder writes it",
    arguments: [HTTPMethod.post, .get, .delete])
  func compositeFormSubclass(method: HTTPMethod) throws {
    final class Wrapping: URLEncodedFormParameterEncoder, @unchecked Sendable {
      override func encode<Parameters: Encodable>(
        _ parameters: Parameters?, into request: URLRequest
      ) throws -> URLRequest {
        try super.encode(parameters.map { ["data": $0] }, into: request)
      }
    }
    let task = HTTPTask.requestCompositeEncodable(["b": 1], encoder: Wrapping(), urlParameters: ["u": 2])
    let request = try endpoint(method: method, task: task).urlRequest()
    #expect(request.url?.absoluteString == "http://h/x?u=2")
    #expect(request.httpMethod == method.rawValue)
    #expect(request.httpBody == Data("data%5Bb%5D=1".utf8))
  }

  @Test("sends the parameters of a resumable download with their encoding")
  func resumable() throws {
    let task = HTTPTask.downloadResumable(
      to: URL(fileURLWithPath: "/tmp/a"), parameters: ["a": true],
      encoding: URLEncoding(destination: .queryString, boolEncoding: .literal))
    #expect(try endpoint(task: task).urlRequest().url?.absoluteString == "http://h/x?a=true")
  }

  @Test("sends a form in the body with its encoder, whatever the method")
  func formTask() throws {
    let encoder = URLEncodedFormEncoder(boolEncoding: .literal, spaceEncoding: .plusReplaced)
    let task = HTTPTask.requestFormEncodable(["a b": true], encoder: encoder)
    let request = try endpoint(method: .get, task: task).urlRequest()
    #expect(request.httpBody == Data("a+b=true".utf8))
    #expect(request.url?.absoluteString == "http://h/x")
  }

  /// Encodes the encoder's user info.
  private struct UserInfoValue: Encodable {
    static let key = CodingUserInfoKey(rawValue: "told")

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String } ?? "-")
    }
  }

  @Test("respects all other settings of an encoder")
  func encoderSettings() throws {
    struct Value: Encodable {
      var data = Data([1, 2])
      var number = Double.infinity
      var path = "a/b"
      var told = UserInfoValue()
    }
    let encoder = JSONEncoder()
    encoder.dataEncodingStrategy = .deferredToData
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.userInfo[try #require(UserInfoValue.key)] = "yes"
    let request = try endpoint(task: .requestCustomJSONEncodable(Value(), encoder: encoder)).urlRequest()
    let text = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
    #expect(text == #"{"data":[1,2],"number":"inf","path":"a/b","told":"yes"}"#)
  }

  @Test("encodes with the given encoder, and keeps a Content-Type in any spelling")
  func customEncoder() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    struct User: Encodable { let firstName = "ash" }
    let request = try endpoint(
      task: .requestCustomJSONEncodable(User(), encoder: encoder), headers: ["content-type": "application/x"]
    ).urlRequest()
    #expect(request.httpBody == Data(#"{"first_name":"ash"}"#.utf8))
    #expect(request.allHTTPHeaderFields == ["content-type": "application/x"])
  }
}
