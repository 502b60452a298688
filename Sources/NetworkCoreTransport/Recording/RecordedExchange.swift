import Foundation

/// A request and its response as stored in a file.
struct RecordedExchange: Codable, Sendable {
  struct Field: Codable, Sendable {
    var name: String
    var value: String
  }

  /// The parts of a request that select its response.
  struct Key: Codable, Hashable, Sendable {
    var method: String
    var url: String
    /// `nil` if there is no body, or the body is read while it is sent.
    var body: Data?

    init(_ request: TransportRequest) {
      method = request.method.rawValue
      url = request.url
      if case .data(let data) = request.body { body = data }
    }

    /// A digest that is the same in every run.
    var digest: String {
      FNV1a.text(FNV1a.hash(body ?? Data(), after: FNV1a.hash("\(method) \(url) ".utf8)))
    }
  }

  var request: Key
  /// The index among the responses to equal requests, from 0.
  var number: Int
  var statusCode: Int
  /// The URL of the response, after redirects.
  var url: String
  var headers: [Field]
  /// The body as text if it is valid UTF-8, for readers of the file.
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
