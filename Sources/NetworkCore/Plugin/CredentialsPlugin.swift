#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Authenticates the requests of every target that has a credential.
///
/// With Basic (RFC 7617), the default scheme, the name and password are sent with the first request, without
/// waiting for a challenge from the server. With Digest (RFC 7616), the request is sent without its body
/// first, to get the server's challenge, and then in full; the password is never sent. A request that already
/// has an `Authorization` field keeps it.
public final class CredentialsPlugin: PluginType {
  /// Returns the credential for a target; `nil` if it has none.
  public typealias CredentialClosure = @Sendable (any TargetType) -> URLCredential?

  private let scheme: AuthenticationScheme
  private let credentialsClosure: CredentialClosure

  /// Creates a plugin.
  ///
  /// - Parameters:
  ///   - scheme: the authentication scheme.
  ///   - credentialsClosure: returns the credential for a target; called once for each attempt of a request.
  @preconcurrency public init(
    scheme: AuthenticationScheme = .basic, credentialsClosure: @escaping CredentialClosure
  ) {
    self.scheme = scheme
    self.credentialsClosure = credentialsClosure
  }

  /// Authenticates the request.
  public func willSend(_ request: any RequestType, target: any TargetType) {
    if let credential = credentialsClosure(target) {
      request.authenticate(with: credential, scheme: scheme)
    }
  }
}
