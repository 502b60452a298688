/// The checks of a server's certificate.
///
/// The default checks are those of every client: the chain leads to a trusted authority, and the certificate
/// is valid by date and for the host.
public struct ServerTrustPolicy: Sendable, Hashable {
  /// Whether the chain must lead to a trusted certificate and be valid by date (`CURLOPT_SSL_VERIFYPEER`).
  public var checksChain = true
  /// Whether the certificate must name the host (`CURLOPT_SSL_VERIFYHOST`).
  public var checksHost = true
  /// The only certificates that a chain may lead to, the server's own included; `nil` for the transport's
  /// authorities (`CURLOPT_CAINFO_BLOB`).
  public var anchors: [Certificate]?
  /// The accepted keys of the server; `nil` for any key (`CURLOPT_PINNEDPUBLICKEY`).
  public var publicKeys: [PublicKeyPin]?
  /// Whether the server must prove that its certificate has not been revoked, by stapling an OCSP response of
  /// its authority to the handshake (`CURLOPT_SSL_VERIFYSTATUS`; RFC 6066, section 8).
  public var requiresStatus = false

  /// Creates a policy that checks chain and host.
  public init() {}
}

/// Chooses the checks of a host's certificate.
///
/// Unlike Alamofire's, an evaluator does not see the certificate: it returns a policy beforehand, and the TLS
/// library applies it during the handshake.
@preconcurrency public protocol ServerTrustEvaluating: Sendable {
  /// Returns the policy for a host.
  ///
  /// Called when a transport is created, with each key of the manager's `evaluators`, to find out whether
  /// libcurl can apply the policy, and on a background thread before the first request to a host.
  ///
  /// - Parameter host: the host's name in lower case.
  /// - Returns: the checks to make.
  /// - Throws: any error that forbids requests to the host; the request ends with
  ///   `TransferError.certificate`.
  func policy(forHost host: String) throws -> ServerTrustPolicy
}

/// The reason why there is no policy for a host.
public enum ServerTrustError: Error, Sendable, Hashable {
  /// All hosts must be evaluated, and there is no evaluator for this one.
  case noRequiredEvaluator(host: String)
  /// `PinnedCertificatesTrustEvaluator` has no certificates.
  case noCertificatesFound
  /// `PublicKeysTrustEvaluator` has no keys.
  case noPublicKeysFound
  /// No certificate can satisfy all evaluators of a `CompositeTrustEvaluator`.
  case noCommonPolicy
}
