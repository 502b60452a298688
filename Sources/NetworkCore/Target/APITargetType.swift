public import Foundation

/// A target of an API whose errors are known by type.
///
/// ```swift
/// enum Shop: APITargetType {
///   struct ClientErrorType: Decodable { let message: String }
///   case items(page: Int)
///
///   var baseURL: URL { URL(string: "https://shop.example")! }
///   var path: String { "/items" }
///   var queryParameters: [String: QueryParameterValue] {
///     switch self {
///     case .items(let page): ["page": "\(page)", "tag": ["new", "sale"]]
///     }
///   }
/// }
///
/// switch await provider.response(on: .items(page: 1), decodeBodyTo: [Item].self) {
/// case .success(let items): print(items)
/// case .failure(.clientError(_, let error?)): print(error.message)
/// case .failure(let error): print(error)
/// }
/// ```
public protocol APITargetType: TargetType {
  /// What the bodies of answers with a status of 4xx decode to; `EmptyBodyResponse` where they say nothing.
  associatedtype ClientErrorType: Decodable & Sendable

  /// Decodes the bodies of answers; `JSONDecoder()` unless given.
  var decoder: JSONDecoder { get }
  /// Encodes values for bodies, see `json(_:)`; `JSONEncoder()` unless given.
  var encoder: JSONEncoder { get }
  /// What the URL's query says after what it says already; nothing unless given.
  var queryParameters: [String: QueryParameterValue] { get }
  /// The answer where requests are stubbed; `nil` for status 200 with `sampleData` unless given.
  var mockedResponse: MockedResponse? { get }
}

extension APITargetType {
  /// A plain decoder.
  public var decoder: JSONDecoder { JSONDecoder() }
  /// A plain encoder.
  public var encoder: JSONEncoder { JSONEncoder() }
  /// No parameters.
  public var queryParameters: [String: QueryParameterValue] { [:] }
  /// Status 200 with `sampleData`.
  public var mockedResponse: MockedResponse? { nil }

  /// `baseURL` with `path` and `queryParameters`, sorted by name, appended and escaped.
  public var url: URL { url(under: baseURL) }

  /// `url` with another base.
  func url(under baseURL: URL) -> URL {
    let plain = baseURL.appending(targetPath: path)
    let pairs = queryParameters.sorted { $0.key < $1.key }.flatMap { name, value in
      value.values.map { "\(URLEncoding.default.escape(name))=\(URLEncoding.default.escape($0))" }
    }
    // Escaped pairs make a URL of any URL.
    return (try? plain.appending(query: pairs.joined(separator: "&"))) ?? plain
  }

  /// The mocked response, or status 200 with `sampleData`.
  public var sampleResponse: EndpointSampleResponse {
    mockedResponse?.sample(for: url) ?? .networkResponse(200, sampleData)
  }

  /// A task with a value as its JSON body, made by the target's encoder.
  ///
  /// - Parameter value: the value.
  /// - Returns: the task.
  public func json(_ value: any Encodable) -> HTTPTask {
    .requestCustomJSONEncodable(value, encoder: encoder)
  }
}
