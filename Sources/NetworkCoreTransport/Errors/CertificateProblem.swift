/// The reason why a certificate was not accepted.
public enum CertificateProblem: Sendable, Hashable, CustomStringConvertible {
  /// A certificate of the chain has expired.
  case expired
  /// A certificate of the chain is not valid yet; the clock may be wrong.
  case notYetValid
  /// The certificate names other hosts.
  case wrongHost
  /// The chain does not lead to a trusted authority.
  case unknownIssuer
  /// The certificate, or the last one of the chain, is self-signed and not trusted.
  case selfSigned
  /// A certificate has been revoked.
  case revoked
  /// The server does not prove that its certificate has not been revoked.
  case noStatus
  /// The server's key is none of the pinned keys.
  case pinMismatch
  /// The host must have a policy but has none; see `ServerTrustManager`.
  case noPolicy
  /// The client's certificate or its key cannot be used: they are unreadable, or do not match.
  case unusableIdentity
  /// The server requires a certificate of the client, or does not accept it.
  case identityRejected
  /// Any other reason, which the error's text describes.
  case other

  /// A short description of the problem.
  public var description: String {
    switch self {
    case .expired: "the certificate has expired"
    case .notYetValid: "the certificate is not valid yet"
    case .wrongHost: "the certificate is for another host"
    case .unknownIssuer: "the certificate's issuer is unknown"
    case .selfSigned: "the certificate is self-signed"
    case .revoked: "the certificate has been revoked"
    case .noStatus: "the server does not prove that its certificate has not been revoked"
    case .pinMismatch: "the server's key matches none of the pinned keys"
    case .noPolicy: "the host has no usable policy"
    case .unusableIdentity: "the client's certificate cannot be used"
    case .identityRejected: "the server does not accept the client's certificate"
    case .other: "the certificate was not accepted"
    }
  }
}
