import Foundation

/// A target with everything resolved: what a request is built from.
///
/// The provider's `endpointClosure` makes it from a target, its `requestClosure` makes a `URLRequest` from it.
///
/// `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types.
open class Endpoint: @unchecked Sendable {
  /// Gives the answer of a stubbed request.
  public typealias SampleResponseClosure = @Sendable () -> EndpointSampleResponse

  /// The absolute URL, before any parameters are put into it.
  public let url: String
  /// Gives the answer of a stubbed request.
  public let sampleResponseClosure: SampleResponseClosure
  /// The request method.
  public let method: HTTPMethod
  /// What the request carries.
  public let task: HTTPTask
  /// The header fields to send.
  public let httpHeaderFields: [String: String]?
  /// `url`, where it is known to have been parsed already.
  let parsedURL: URL?

  /// Makes an endpoint.
  ///
  /// - Parameters:
  ///   - url: the absolute URL; one that cannot be parsed makes `urlRequest()` throw.
  ///   - sampleResponseClosure: gives the answer of a stubbed request.
  ///   - method: the request method.
  ///   - task: what the request carries.
  ///   - httpHeaderFields: the header fields to send.
  @preconcurrency public init(
    url: String, sampleResponseClosure: @escaping SampleResponseClosure, method: HTTPMethod, task: HTTPTask,
    httpHeaderFields: [String: String]?
  ) {
    self.url = url
    self.sampleResponseClosure = sampleResponseClosure
    self.method = method
    self.task = task
    self.httpHeaderFields = httpHeaderFields
    self.parsedURL = nil
  }

  /// Parsing the URL once less is a fifth of the cost of a plain request.
  init(
    url: URL, sampleResponseClosure: @escaping SampleResponseClosure, method: HTTPMethod, task: HTTPTask,
    httpHeaderFields: [String: String]?
  ) {
    self.url = url.absoluteString
    self.sampleResponseClosure = sampleResponseClosure
    self.method = method
    self.task = task
    self.httpHeaderFields = httpHeaderFields
    self.parsedURL = url
  }

  /// A copy with further header fields; where both have one, the new one wins.
  ///
  /// - Parameter newHTTPHeaderFields: the fields to add.
  /// - Returns: the copy.
  open func adding(newHTTPHeaderFields: [String: String]) -> Endpoint {
    Endpoint(
      url: url, sampleResponseClosure: sampleResponseClosure, method: method, task: task,
      httpHeaderFields: (httpHeaderFields ?? [:]).merging(newHTTPHeaderFields) { $1 })
  }

  /// A copy that carries something else.
  ///
  /// - Parameter task: what the copy carries.
  /// - Returns: the copy.
  open func replacing(task: HTTPTask) -> Endpoint {
    Endpoint(
      url: url, sampleResponseClosure: sampleResponseClosure, method: method, task: task,
      httpHeaderFields: httpHeaderFields)
  }
}

extension Endpoint: Hashable {
  /// Whether both are sent as the same request: method, URL, header fields and body.
  ///
  /// Endpoints that no request can be built of are equal where their URLs and methods are.
  public static func == (left: Endpoint, right: Endpoint) -> Bool {
    left === right || left.identity == right.identity
  }

  /// Hashes what is compared: the request as it is sent.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
  }

  private var identity: TransportRequest {
    guard let request = try? TransportRequest(urlRequest()) else {
      return TransportRequest(method: method, url: url)
    }
    return request
  }
}
