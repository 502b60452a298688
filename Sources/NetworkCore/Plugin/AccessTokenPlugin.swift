#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sets the `Authorization` field for every target that requires a token.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(plugins: [AccessTokenPlugin { _ in session.token }])
/// ```
///
/// A target requires a token if it conforms to `AccessTokenAuthorizable` and its `authorizationType` is not
/// `nil`. Other requests are sent unchanged. A value that the request already has is replaced. Spaces and
/// line breaks around a token, as in a token read from a file, are removed. A line break inside a token ends
/// the request with `TransferError.invalidField`.
public struct AccessTokenPlugin: PluginType {
  /// Returns the token for a target.
  public typealias TokenClosure = @Sendable (any TargetType) -> String

  /// The closure that returns the token for a target.
  ///
  /// It is called once for each attempt of a request that carries a token.
  public let tokenClosure: TokenClosure

  /// Creates a plugin.
  ///
  /// - Parameter tokenClosure: returns the token for a target. For a `MultiTarget`, it receives the inner
  ///   target.
  @preconcurrency public init(tokenClosure: @escaping TokenClosure) {
    self.tokenClosure = tokenClosure
  }

  /// Sets `Authorization` to the target's scheme and token.
  public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
    guard let type = (target as? any AccessTokenAuthorizable)?.authorizationType else { return request }
    let token = tokenClosure(MultiTarget.unwrapped(target))
    var request = request
    request.setField(
      "Authorization", to: "\(type.value) \(token.trimmingCharacters(in: .whitespacesAndNewlines))")
    return request
  }
}
