#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Puts a token into the `Authorization` of every target that asks for one.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(plugins: [AccessTokenPlugin { _ in session.token }])
/// ```
///
/// Targets ask by `AccessTokenAuthorizable`; any other, and one whose `authorizationType` is `nil`, is sent as it is. A
/// value that the request has already is replaced.
public struct AccessTokenPlugin: PluginType {
  /// Gives the token for a target.
  public typealias TokenClosure = @Sendable (any TargetType) -> String

  /// Gives the token for a target; called once for each attempt of a request that carries one.
  public let tokenClosure: TokenClosure

  /// Makes a plugin.
  ///
  /// - Parameter tokenClosure: gives the token for a target, that inside of a `MultiTarget`.
  @preconcurrency public init(tokenClosure: @escaping TokenClosure) {
    self.tokenClosure = tokenClosure
  }

  /// Sets `Authorization` to the target's scheme and token.
  public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
    guard let type = (target as? any AccessTokenAuthorizable)?.authorizationType else { return request }
    let token = tokenClosure((target as? MultiTarget)?.target ?? target)
    var request = request
    request.setValue("\(type.value) \(token)", forHTTPHeaderField: "Authorization")
    return request
  }
}
