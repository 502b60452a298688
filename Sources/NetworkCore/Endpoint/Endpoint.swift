import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
  /// The target that is asked for the rest, such as its time limit, when the request is built.
  let target: (any TargetType)?

  /// Makes an endpoint.
  ///
  /// One that is made here knows no target: the request has nothing of the target's `timeout`, `cachePolicy` and
  /// `modify(_:)`. `NetworkProvider.defaultEndpointMapping` makes one that has.
  ///
  /// - Parameters:
  ///   - url: the absolute URL; one that cannot be parsed makes `urlRequest()` throw.
  ///   - sampleResponseClosure: gives the answer of a stubbed request.
  ///   - method: the request method.
  ///   - task: what the request carries.
  ///   - httpHeaderFields: the header fields to send; none unless given.
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

  /// Parsing the URL once less is a fifth of the cost of a plain request.
  init(
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

  /// A copy with further header fields; where both have one, in whatever spelling, the new one wins.
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

  /// A copy that carries something else.
  ///
  /// - Parameter task: what the copy carries.
  /// - Returns: the copy.
  open func replacing(task: HTTPTask) -> Endpoint {
    Endpoint(copying: self, task: task, httpHeaderFields: httpHeaderFields)
  }
}

extension Endpoint {
  /// A copy with another sample.
  func sampling(_ sample: @escaping SampleResponseClosure) -> Endpoint {
    Endpoint(
      copying: self, task: task, httpHeaderFields: httpHeaderFields, sampleResponseClosure: sample)
  }
}

extension Endpoint: CustomReflectable {
  /// The method, the URL and the header fields, secrets hidden.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "url": Secrets.standard.shown(url: url),
        "httpHeaderFields": HTTPHeaders(httpHeaderFields ?? [:]),
      ], displayStyle: .class)
  }
}

extension Endpoint: Hashable {
  /// Whether both are sent as the same request: method, URL, header fields and body.
  ///
  /// Forms are equal where their parts are, also where each has a random boundary of its own.
  ///
  /// Endpoints that no request can be built of are equal where their URLs and methods are.
  public static func == (left: Endpoint, right: Endpoint) -> Bool {
    left === right || left.identity == right.identity && left.form == right.form
  }

  /// Hashes part of what is compared: method and URL.
  public func hash(into hasher: inout Hasher) {
    let identity = identity
    hasher.combine(identity.method)
    hasher.combine(identity.url)
  }

  /// The request as it is sent, but for a form.
  var identity: TransportRequest {
    guard var request = try? urlRequest() else { return TransportRequest(method: method, url: url) }
    // What is read while it is sent is made anew at each call, and so is the boundary in the form's type.
    if form != nil { request.httpBodyStream = nil }
    return (try? TransportRequest(request, of: target)) ?? TransportRequest(method: method, url: url)
  }

  /// The form that the request carries.
  var form: MultipartFormData? { task.form }
}
