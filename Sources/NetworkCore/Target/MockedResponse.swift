public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The response that a target provides instead of the server's if its requests are stubbed.
public struct MockedResponse: Sendable, Hashable {
  /// The status code.
  public let statusCode: Int
  /// The body.
  public let bodyData: Data
  /// The header fields.
  public let headers: [String: String]

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - status: the status.
  ///   - bodyData: the body.
  ///   - headers: the header fields.
  public init(status: HTTPStatus = .ok, bodyData: Data = Data(), headers: [String: String] = [:]) {
    statusCode = status.code
    self.bodyData = bodyData
    self.headers = headers
  }

  /// Creates a response with a JSON body.
  ///
  /// - Parameters:
  ///   - status: the status.
  ///   - bodyJson: the text of the body.
  ///   - headers: the header fields; `Content-Type` is `application/json` by default.
  public init(status: HTTPStatus = .ok, bodyJson: String, headers: [String: String] = [:]) {
    var fields = HTTPHeaders(headers)
    if fields["Content-Type"] == nil { fields.add(.contentType("application/json")) }
    self.init(status: status, bodyData: Data(bodyJson.utf8), headers: fields.dictionary)
  }

  /// Creates a response with a value as its JSON body.
  ///
  /// - Parameters:
  ///   - status: the status.
  ///   - bodyEncodable: the value.
  ///   - encoder: the encoder to use.
  ///   - headers: the header fields; `Content-Type` is `application/json` by default.
  /// - Throws: the encoder's error.
  public init(
    status: HTTPStatus = .ok, bodyEncodable: some Encodable, encoder: JSONEncoder = JSONEncoder(),
    headers: [String: String] = [:]
  ) throws {
    let text = String(decoding: try encoder.encode(bodyEncodable), as: UTF8.self)
    self.init(status: status, bodyJson: text, headers: headers)
  }

  /// Returns the response as an endpoint's sample.
  func sample(for url: URL) -> EndpointSampleResponse {
    let head = HTTPURLResponse(
      url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers)
    return head.map { .response($0, bodyData) } ?? .networkResponse(statusCode, bodyData)
  }
}
