#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends a user's name and password with every target that has some.
///
/// With Basic (RFC 7617), the scheme unless another is chosen, they are sent with the first request, without waiting for the
/// server to ask. With Digest (RFC 7616) a request is sent without its body first, to learn what the server asks for, and then
/// as a whole; the password does not leave the machine. A request that has an `Authorization` already keeps it.
public final class CredentialsPlugin: PluginType {
  /// Gives the credential for a target, `nil` for none.
  public typealias CredentialClosure = @Sendable (any TargetType) -> URLCredential?

  private let scheme: AuthenticationScheme
  private let credentialsClosure: CredentialClosure

  /// Makes a plugin.
  ///
  /// - Parameters:
  ///   - scheme: how name and password are proved.
  ///   - credentialsClosure: gives the credential for a target; called once for each attempt of a request.
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
