import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Random parameters")
struct EncodingFuzzTests {
  private enum Unencodable { case value }

  /// A parameter of mixed types, as `Any` allows.
  private static func parameter(_ random: inout SplitMix64, depth: Int = 3) -> Any {
    switch random.below(depth > 0 ? 18 : 14) {
    case 0: return random.text()
    case 1: return random.below(100)
    case 2: return random.pick([0.5, .nan, .infinity, -.infinity, 1e300])
    case 3: return random.oneIn(2)
    case 4: return NSNull()
    case 5: return NSNumber(value: random.oneIn(2))
    case 6: return Date(timeIntervalSinceReferenceDate: 1)
    case 7: return Data(random.text().utf8)
    case 8: return Optional<Int>.none as Any
    case 9: return Optional("x") as Any
    case 10: return Unencodable.value
    case 11: return Decimal(1.5)
    case 12: return URL(fileURLWithPath: "/x")
    case 13: return NSNumber(value: UInt64.max)
    case 14: return [1: 2] as [Int: Int]
    case 15: return Set([random.below(3)])
    case 16: return (0..<random.below(4)).map { _ in parameter(&random, depth: depth - 1) }
    default: return parameters(&random, depth: depth - 1)
    }
  }

  private static func parameters(_ random: inout SplitMix64, depth: Int = 3) -> [String: Any] {
    [String: Any]((0..<random.below(4)).map { _ in (random.name(), parameter(&random, depth: depth)) }) { $1 }
  }

  private static func form(_ random: inout SplitMix64) -> URLEncodedFormEncoder {
    URLEncodedFormEncoder(
      alphabetizeKeyValuePairs: random.oneIn(2),
      arrayEncoding: random.pick([.brackets, .noBrackets, .indexInBrackets, .custom { "\($0)\($1)" }]),
      boolEncoding: random.pick([.numeric, .literal]),
      dataEncoding: random.pick([.base64, .deferredToData]),
      dateEncoding: random.pick([.deferredToDate, .iso8601, .secondsSince1970, .millisecondsSince1970]),
      keyEncoding: random.pick([
        .useDefaultKeys, .convertToSnakeCase, .convertToKebabCase, .capitalized, .uppercased, .lowercased,
      ]),
      keyPathEncoding: random.pick([.brackets, .dots]),
      nilEncoding: random.pick([.dropKey, .dropValue, .null]),
      spaceEncoding: random.pick([.percentEscaped, .plusReplaced]))
  }

  private static func task(_ random: inout SplitMix64) -> HTTPTask {
    let encoding: any ParameterEncoding = random.pick([
      URLEncoding.default, URLEncoding.queryString, URLEncoding.httpBody, JSONEncoding.default,
      JSONEncoding.prettyPrinted,
      PropertyListEncoding.default, URLEncoding(arrayEncoding: .indexInBrackets, boolEncoding: .literal),
    ])
    let value = EncodableJSONValue(value: random.json())
    switch random.below(12) {
    case 0: return .requestPlain
    case 1: return .requestData(random.bytes(upTo: 20))
    case 2: return .requestJSONEncodable(value)
    case 3: return .requestCustomJSONEncodable(value, encoder: JSONEncoder())
    case 4: return .requestParameters(parameters: parameters(&random), encoding: encoding)
    case 5: return .requestCompositeData(bodyData: random.bytes(upTo: 9), urlParameters: parameters(&random))
    case 6:
      return .requestCompositeParameters(
        bodyParameters: parameters(&random), bodyEncoding: encoding, urlParameters: parameters(&random))
    case 7: return .requestFormEncodable(value, encoder: form(&random))
    case 8: return .requestEncodable(value, encoder: .urlEncodedForm(encoder: form(&random)))
    case 9:
      return .requestCompositeEncodable(
        value, encoder: .urlEncodedForm(encoder: form(&random)), urlParameters: parameters(&random))
    case 10: return .uploadData(random.bytes(upTo: 9))
    default:
      return .uploadMultipartFormData(
        MultipartFormData(
          boundary: random.oneIn(2) ? nil : random.text(),
          parts: (0..<random.below(3)).map { _ in
            MultipartFormBodyPart(
              provider: .data(random.bytes(upTo: 9)), name: random.text(),
              fileName: random.oneIn(2) ? nil : random.text(), mimeType: random.oneIn(2) ? nil : random.text()
            )
          }))
    }
  }

  /// A random target.
  private struct RandomTarget: TargetType {
    let baseURL: URL
    let path: String
    let method: HTTPMethod
    let task: HTTPTask
    let headers: [String: String]?
  }

  @Test("the request of any target is sent or fails with an error of this library")
  func targets() {
    let transport = ScriptedTransport { $0.respond() }
    let provider = NetworkProvider<RandomTarget>(
      transport: transport,
      plugins: [NetworkLoggerPlugin(configuration: .init(output: { _, _ in }, logOptions: .verbose))])
    var sent = 0
    Fuzz.run("targets") { random in
      let base = URL(string: random.pick(["http://h", "https://h/api/", "http://h?x=y", "http://h#f"]))
      let target = RandomTarget(
        baseURL: base ?? URL(fileURLWithPath: "/"), path: random.text(),
        method: random.pick([.get, .post, .put, .delete, .head, HTTPMethod(rawValue: random.text(upTo: 2))]),
        task: Self.task(&random),
        headers: random.oneIn(2) ? nil : [random.name(): random.text(), "Content-Type": random.text()])
      let outcome = CompletionRecorder()
      provider.request(target, completion: outcome.completion)
      try require(outcome.count == 1, "\(outcome.count) completions for \(target)")
      _ = provider.endpoint(target) == provider.endpoint(target)
      sent += outcome.response == nil ? 0 : 1
      guard let request = outcome.response?.request else { return }
      try require(request.url?.scheme?.hasPrefix("http") == true, "\(request) for \(target)")
      try require(
        request.url?.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } == true,
        "\(request) for \(target)")
    }
    #expect(Fuzz.cases < 100 || sent > Fuzz.cases / 4)
  }

  @Test("a query decodes to the strings that it was made from")
  func queries() {
    Fuzz.run("queries") { random in
      let texts = [String: String]((0..<random.below(4)).map { _ in (random.text(), random.text()) }) { $1 }
      let plain = URLRequest(url: URL(staticString: "http://h/x"))
      let request = try URLEncoding.queryString.encode(plain, with: texts)
      let query = request.url?.absoluteString.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      var read: [String: String] = [:]
      for pair in query.split(separator: "&") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, let name = sides[0].withoutPercents,
          let value = sides[1].withoutPercents
        else { throw FuzzFailure("\(pair)") }
        read[name] = value
      }
      try require(read == texts, "\(query) for \(texts)")
    }
  }

  @Test("a JSON body decodes to the value that it was made from")
  func bodies() {
    Fuzz.run("JSON bodies") { random in
      let tree = random.json()
      guard case .object = tree else { return }
      let plain = URLRequest(url: URL(staticString: "http://h/x"))
      let encoded = try JSONParameterEncoder.default.encode(EncodableJSONValue(value: tree), into: plain)
      try require(try JSONValue(parsing: encoded.httpBody ?? Data()) == tree, tree.text)
    }
  }

  @Test("header fields with any text are read without a crash")
  func fields() {
    Fuzz.run("fields") { random in
      let text = random.text(upTo: 12)
      if let type = MediaType(text) { try require(type.includes(type), "\(text.debugDescription)") }
      let head = ResponseHead(
        statusCode: 200, url: "http://h",
        headers: ["Content-Type": text, "Retry-After": text, "Content-Length": text, text: text])
      let transport = ScriptedTransport { $0.send(.head(head), .body(Data("x".utf8)), .finished(nil)) }
      let outcome = CompletionRecorder()
      NetworkProvider<GitHub>(transport: transport, interceptors: [RetryPolicy()]).request(
        .zen, progress: { _ in }, completion: outcome.completion)
      _ = outcome.response?.response
      _ = try? outcome.response?.filter(contentTypes: [text])
      try require(outcome.count == 1, text.debugDescription)
      _ = HTTPStatus(random.below(2_000) - 500).description
    }
  }
}

extension Substring {
  /// The text; `nil` if it is invalid.
  ///
  /// Foundation would drop a byte order mark.
  fileprivate var withoutPercents: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
