#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends a user's name and password with every target that has some.
///
/// They are sent with the first request, without waiting for the server to ask, as Basic (RFC 7617); a request that has
/// an `Authorization` already keeps it.
public final class CredentialsPlugin: PluginType {
  /// Gives the credential for a target, `nil` for none.
  public typealias CredentialClosure = @Sendable (any TargetType) -> URLCredential?

  private let credentialsClosure: CredentialClosure

  /// Makes a plugin.
  ///
  /// - Parameter credentialsClosure: gives the credential for a target; called once for each attempt of a request.
  @preconcurrency public init(credentialsClosure: @escaping CredentialClosure) {
    self.credentialsClosure = credentialsClosure
  }

  /// Authenticates the request.
  public func willSend(_ request: any RequestType, target: any TargetType) {
    if let credential = credentialsClosure(target) { _ = request.authenticate(with: credential) }
  }
}
