public import Foundation

/// A target of an API with typed errors.
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
  /// The type of the bodies of responses with a status of 4xx; `EmptyBodyResponse` if they have no content.
  associatedtype ClientErrorType: Decodable & Sendable

  /// Decodes the bodies of responses; `JSONDecoder()` by default.
  var decoder: JSONDecoder { get }
  /// Encodes values for bodies, see `json(_:)`; `JSONEncoder()` by default.
  var encoder: JSONEncoder { get }
  /// The parameters that are appended to the URL's query; none by default.
  var queryParameters: [String: QueryParameterValue] { get }
  /// The stubbed response; by default `nil`, which means status 200 with `sampleData`, or with a `MockingBehavior`
  /// the error `MissingMockError`.
  var mockedResponse: MockedResponse? { get }
}

extension APITargetType {
  /// A default decoder.
  public var decoder: JSONDecoder { JSONDecoder() }
  /// A default encoder.
  public var encoder: JSONEncoder { JSONEncoder() }
  /// No parameters.
  public var queryParameters: [String: QueryParameterValue] { [:] }
  /// No stubbed response.
  public var mockedResponse: MockedResponse? { nil }

  /// `baseURL` with the escaped `path` and `queryParameters`, sorted by name.
  public var url: URL { url(under: baseURL) }

  /// Returns `url` with another base.
  package func url(under baseURL: URL) -> URL {
    let plain = baseURL.appending(targetPath: path)
    let pairs = queryParameters.sorted { $0.key < $1.key }.flatMap { name, value in
      value.values.map { "\(URLEncoding.default.escape(name))=\(URLEncoding.default.escape($0))" }
    }
    // A URL with escaped pairs appended is always valid.
    return (try? plain.appending(query: pairs.joined(separator: "&"))) ?? plain
  }

  /// The mocked response, or status 200 with `sampleData`.
  public var sampleResponse: EndpointSampleResponse {
    mockedResponse?.sample(for: url) ?? .networkResponse(200, sampleData)
  }

  /// Returns a task with a value as its JSON body, encoded by the target's encoder.
  ///
  /// - Parameter value: the value.
  /// - Returns: the task.
  public func json(_ value: any Encodable) -> HTTPTask {
    .requestCustomJSONEncodable(value, encoder: encoder)
  }
}
