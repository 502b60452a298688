public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A target of any type, so that one provider can serve targets of several types.
///
/// ```swift
/// let provider = NetworkProvider<MultiTarget>()
/// provider.request(MultiTarget(GitHub.zen)) { print($0) }
/// ```
///
/// All properties are the inner target's. Plugins get the inner target itself, so a plugin that checks for a
/// protocol, such as `AccessTokenAuthorizable`, finds it.
public enum MultiTarget: TargetType {
  /// A target of any type.
  case target(any TargetType)

  /// Wraps a target; a `MultiTarget` is not wrapped again.
  ///
  /// - Parameter target: the target.
  public init(_ target: any TargetType) {
    self = target as? MultiTarget ?? .target(target)
  }

  /// The inner target.
  public var target: any TargetType {
    switch self {
    case .target(let target): target
    }
  }

  /// Returns the target inside all `MultiTarget`s around it; `target` itself if it is none.
  static func unwrapped(_ target: any TargetType) -> any TargetType {
    var inner = target
    while let wrapper = inner as? MultiTarget { inner = wrapper.target }
    return inner
  }

  /// The inner target's base URL.
  public var baseURL: URL { target.baseURL }
  /// The inner target's path.
  public var path: String { target.path }
  /// The inner target's method.
  public var method: HTTPMethod { target.method }
  /// The inner target's task.
  public var task: HTTPTask { target.task }
  /// The inner target's header fields.
  public var headers: [String: String]? { target.headers }
  /// The inner target's sample.
  public var sampleData: Data { target.sampleData }
  /// The inner target's sample response.
  public var sampleResponse: EndpointSampleResponse { target.sampleResponse }
  /// The inner target's validation.
  public var validationType: ValidationType { target.validationType }
  /// The inner target's accepted media types.
  public var acceptableContentTypes: [String]? { target.acceptableContentTypes }
  /// The inner target's URL.
  public var url: URL { target.url }
  /// The inner target's time limit.
  public var timeout: Duration? { target.timeout }
  /// The inner target's cache policy.
  public var cachePolicy: URLRequest.CachePolicy? { target.cachePolicy }

  /// The inner target's limit for a response body.
  public var responseBodyLimit: Int? { target.responseBodyLimit }

  /// Whether the inner target's request may share a transfer.
  public var sharesInflightRequests: Bool { target.sharesInflightRequests }

  /// Lets the inner target change the request.
  ///
  /// - Parameter request: the request.
  /// - Throws: the error of the inner target.
  public func modify(_ request: inout URLRequest) throws { try target.modify(&request) }
}

extension MultiTarget: AccessTokenAuthorizable {
  /// The inner target's scheme; `nil` if the inner target is not `AccessTokenAuthorizable`.
  public var authorizationType: AuthorizationType? {
    (target as? any AccessTokenAuthorizable)?.authorizationType
  }
}
