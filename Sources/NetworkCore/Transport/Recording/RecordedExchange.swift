import Foundation

/// A request and its answer, as they are kept in a file.
struct RecordedExchange: Codable, Sendable {
  struct Field: Codable, Sendable {
    var name: String
    var value: String
  }

  /// What is compared to find the answer for a request.
  struct Key: Codable, Hashable, Sendable {
    var method: String
    var url: String
    /// `nil` for no body, and for one that is read as it is sent.
    var body: Data?

    init(_ request: TransportRequest) {
      method = request.method.rawValue
      url = request.url
      if case .data(let data) = request.body { body = data }
    }

    /// The same in every run, which `Hasher` is not: FNV-1a.
    var digest: String {
      let bytes = [UInt8]("\(method) \(url) ".utf8) + (body ?? Data())
      let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  var request: Key
  /// Where it stands among the answers to equal requests, from 0.
  var number: Int
  var statusCode: Int
  /// The URL that answered, after redirects.
  var url: String
  var headers: [Field]
  /// The body as text where it is that, for those who read the file.
  var text: String?
  var data: Data?

  init(_ key: Key, number: Int, head: ResponseHead, body: Data, omitting names: [String]) {
    request = key
    self.number = number
    statusCode = head.statusCode
    url = head.url
    headers = head.headers.filter { field in !names.contains { $0.equalsIgnoringASCIICase(field.name) } }
      .map { Field(name: $0.name, value: $0.value) }
    text = String(validating: body, as: UTF8.self)
    data = text == nil ? body : nil
  }

  var fileName: String { "\(request.digest)-\(number).json" }

  var head: ResponseHead {
    ResponseHead(
      statusCode: statusCode, url: url,
      headers: HTTPHeaders(received: headers.map { HTTPHeader(name: $0.name, value: $0.value) }))
  }

  var body: Data { data ?? Data((text ?? "").utf8) }
}
