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
/// value that the request has already is replaced. Blanks and line breaks around a token, as in one read from a file, are not sent; one
/// with a line break inside ends the request with `TransferError.invalidField`.
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
    request.setField(
      "Authorization", to: "\(type.value) \(token.trimmingCharacters(in: .whitespacesAndNewlines))")
    return request
  }
}
