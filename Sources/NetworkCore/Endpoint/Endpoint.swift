package import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A target with all properties resolved, from which a request is built.
///
/// The provider's `endpointClosure` makes it from a target, and its `requestClosure` makes a `URLRequest`
/// from it.
///
/// `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types.
open class Endpoint: @unchecked Sendable {
  /// Returns the response of a stubbed request.
  public typealias SampleResponseClosure = @Sendable () -> EndpointSampleResponse

  /// The absolute URL, before parameters are added.
  public let url: String
  /// Returns the response of a stubbed request.
  public let sampleResponseClosure: SampleResponseClosure
  /// The request method.
  public let method: HTTPMethod
  /// The task, which describes the content of the request.
  public let task: HTTPTask
  /// The header fields to send.
  public let httpHeaderFields: [String: String]?
  /// The parsed `url`, if it is known.
  let parsedURL: URL?
  /// The target, which provides the other settings, such as its time limit, when the request is built.
  let target: (any TargetType)?

  /// Makes an endpoint.
  ///
  /// This endpoint has no target, so its request ignores the target's `timeout`, `cachePolicy` and
  /// `modify(_:)`. `NetworkProvider.defaultEndpointMapping` makes an endpoint with a target.
  ///
  /// - Parameters:
  ///   - url: the absolute URL; `urlRequest()` throws if it cannot be parsed.
  ///   - sampleResponseClosure: returns the response of a stubbed request.
  ///   - method: the request method.
  ///   - task: the task, which describes the content of the request.
  ///   - httpHeaderFields: the header fields to send; none by default.
  @preconcurrency public init(
    url: String, sampleResponseClosure: @escaping SampleResponseClosure, method: HTTPMethod, task: HTTPTask,
    httpHeaderFields: [String: String]? = nil
  ) {
    self.url = url
    self.sampleResponseClosure = sampleResponseClosure
    self.method = method
    self.task = task
    self.httpHeaderFields = httpHeaderFields
    self.parsedURL = nil
    self.target = nil
  }

  /// Takes a parsed URL, because parsing it again would be a fifth of the cost of a plain request.
  package init(
    url: URL, sampleResponseClosure: @escaping SampleResponseClosure, method: HTTPMethod, task: HTTPTask,
    httpHeaderFields: [String: String]?, target: any TargetType
  ) {
    self.url = url.absoluteString
    self.sampleResponseClosure = sampleResponseClosure
    self.method = method
    self.task = task
    self.httpHeaderFields = httpHeaderFields
    self.parsedURL = url
    self.target = target
  }

  private init(
    copying endpoint: Endpoint, task: HTTPTask, httpHeaderFields: [String: String]?,
    sampleResponseClosure: SampleResponseClosure? = nil
  ) {
    url = endpoint.url
    self.sampleResponseClosure = sampleResponseClosure ?? endpoint.sampleResponseClosure
    method = endpoint.method
    self.task = task
    self.httpHeaderFields = httpHeaderFields
    parsedURL = endpoint.parsedURL
    target = endpoint.target
  }

  /// Returns a copy with additional header fields; they replace fields of the same name, compared without
  /// case.
  ///
  /// - Parameter newHTTPHeaderFields: the fields to add.
  /// - Returns: the copy.
  open func adding(newHTTPHeaderFields: [String: String]) -> Endpoint {
    let kept = (httpHeaderFields ?? [:]).filter { field in
      !newHTTPHeaderFields.keys.contains { $0.equalsIgnoringASCIICase(field.key) }
    }
    return Endpoint(
      copying: self, task: task, httpHeaderFields: kept.merging(newHTTPHeaderFields) { $1 })
  }

  /// Returns a copy with another task.
  ///
  /// - Parameter task: the task of the copy.
  /// - Returns: the copy.
  open func replacing(task: HTTPTask) -> Endpoint {
    Endpoint(copying: self, task: task, httpHeaderFields: httpHeaderFields)
  }
}

extension Endpoint {
  /// Returns a copy with another sample response.
  func sampling(_ sample: @escaping SampleResponseClosure) -> Endpoint {
    Endpoint(
      copying: self, task: task, httpHeaderFields: httpHeaderFields, sampleResponseClosure: sample)
  }
}

extension Endpoint: CustomReflectable {
  /// The method, the URL and the header fields, with secrets hidden.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "url": Redactor.standard.redacted(url: url),
        "httpHeaderFields": HTTPHeaders(httpHeaderFields ?? [:]),
      ], displayStyle: .class)
  }
}

extension Endpoint: Hashable {
  /// Whether both endpoints are sent as the same request: method, URL, header fields and body.
  ///
  /// Forms are equal if their parts are equal, even if each has a different random boundary.
  ///
  /// Endpoints that cannot be built into requests are equal if their URLs and methods are equal.
  public static func == (left: Endpoint, right: Endpoint) -> Bool {
    left === right || left.identity == right.identity && left.form == right.form
  }

  /// Hashes the method and the URL, which are part of the comparison.
  public func hash(into hasher: inout Hasher) {
    let identity = identity
    hasher.combine(identity.method)
    hasher.combine(identity.url)
  }

  /// The request that is sent, without a form.
  var identity: TransportRequest {
    guard var request = try? urlRequest() else { return TransportRequest(method: method, url: url) }
    // The body stream of a form is a new object for each call, and its `Content-Type` may contain a new
    // boundary.
    if form != nil { request.httpBodyStream = nil }
    return (try? TransportRequest(request, of: target)) ?? TransportRequest(method: method, url: url)
  }

  /// The form that the request sends.
  var form: MultipartFormData? { task.form }
}
