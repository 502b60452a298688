/// What a server's certificate is checked for.
///
/// The default is what every client does: a chain that leads to a trusted authority, valid by date, for the host.
public struct ServerTrustPolicy: Sendable, Hashable {
  /// Whether the chain must lead to a trusted certificate and be valid by date (`CURLOPT_SSL_VERIFYPEER`).
  public var checksChain = true
  /// Whether the certificate must name the host (`CURLOPT_SSL_VERIFYHOST`).
  public var checksHost = true
  /// The only certificates that a chain may lead to, itself included; `nil` for the transport's authorities
  /// (`CURLOPT_CAINFO_BLOB`).
  public var anchors: [Certificate]?
  /// The server's key must be one of these; `nil` for any (`CURLOPT_PINNEDPUBLICKEY`).
  public var publicKeys: [PublicKeyPin]?
  /// Whether the server must prove that its certificate has not been withdrawn: by a response of its authority's that it
  /// staples to the handshake (`CURLOPT_SSL_VERIFYSTATUS`; RFC 6066, section 8).
  public var requiresStatus = false

  /// Makes a policy that checks chain and host.
  public init() {}
}

/// Decides what the certificate of a host is checked for.
///
/// Other than Alamofire's, an evaluator does not see the certificate: it names a policy beforehand, and the TLS
/// library carries it out during the handshake.
public protocol ServerTrustEvaluating: Sendable {
  /// The policy for a host.
  ///
  /// Called when a transport is made, with the host as the manager names it, to find out whether libcurl can carry the
  /// policy out; and on the transport's thread the first time that a host is asked for.
  ///
  /// - Parameter host: the host's name in lower case.
  /// - Returns: what to check.
  /// - Throws: whatever makes the host one not to talk to; the request ends with `TransferError.certificate`.
  func policy(forHost host: String) throws -> ServerTrustPolicy
}

/// Why there is no policy for a host.
public enum ServerTrustError: Error, Sendable, Hashable {
  /// All hosts must be evaluated, and there is no evaluator for this one.
  case noRequiredEvaluator(host: String)
  /// `PinnedCertificatesTrustEvaluator` has no certificate.
  case noCertificatesFound
  /// `PublicKeysTrustEvaluator` has no key.
  case noPublicKeysFound
  /// No certificate could satisfy all evaluators of a `CompositeTrustEvaluator`.
  case noCommonPolicy
}
