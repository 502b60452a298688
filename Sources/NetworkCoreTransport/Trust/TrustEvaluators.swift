/// Makes the usual checks: the chain is trusted, and the certificate names the host.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
  private let validateHost: Bool

  /// Creates an evaluator.
  ///
  /// - Parameter validateHost: whether the certificate must name the host.
  public init(validateHost: Bool = true) {
    self.validateHost = validateHost
  }

  /// Returns the default policy.
  public func policy(forHost host: String) -> ServerTrustPolicy {
    var policy = ServerTrustPolicy()
    policy.checksHost = validateHost
    return policy
  }
}

/// Accepts a chain that contains one of the given certificates: the server's own, or that of an authority
/// above it.
///
/// The pinned certificates are the only anchors, so a pinned certificate need not be known to the system.
/// Dates are always checked, even if Alamofire would skip them.
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
  private let certificates: [Certificate]
  private let validateHost: Bool

  /// Creates an evaluator.
  ///
  /// - Parameters:
  ///   - certificates: the pinned certificates, of which a chain must contain at least one; by default those
  ///     of the main bundle.
  ///   - acceptSelfSignedCertificates: ignored, for source compatibility; a pinned certificate may always be
  ///     self-signed.
  ///   - performDefaultValidation: ignored, for source compatibility; the chain is always checked up to the
  ///     pinned certificate.
  ///   - validateHost: whether the server's certificate must name the host.
  public init(
    certificates: [Certificate] = Certificate.bundled(), acceptSelfSignedCertificates: Bool = false,
    performDefaultValidation: Bool = true, validateHost: Bool = true
  ) {
    self.certificates = certificates
    self.validateHost = validateHost
  }

  /// Returns a policy with the certificates as the only anchors.
  ///
  /// - Throws: `ServerTrustError.noCertificatesFound` if there are none.
  public func policy(forHost host: String) throws -> ServerTrustPolicy {
    guard !certificates.isEmpty else { throw ServerTrustError.noCertificatesFound }
    var policy = ServerTrustPolicy()
    policy.checksHost = validateHost
    policy.anchors = certificates
    return policy
  }
}

/// Accepts a server whose key is one of the given keys.
///
/// Only the key of the server's own certificate counts; Alamofire also accepts those of the authorities above
/// it.
public struct PublicKeysTrustEvaluator: ServerTrustEvaluating {
  private let keys: [PublicKeyPin]
  private let performDefaultValidation: Bool
  private let validateHost: Bool

  /// Creates an evaluator.
  ///
  /// - Parameters:
  ///   - keys: the accepted keys; add the server's next key before the server changes to it.
  ///   - performDefaultValidation: whether the chain is checked as well.
  ///   - validateHost: whether the certificate must name the host.
  public init(keys: [PublicKeyPin], performDefaultValidation: Bool = true, validateHost: Bool = true) {
    self.keys = keys
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// Returns a policy with the keys.
  ///
  /// - Throws: `ServerTrustError.noPublicKeysFound` if there are none.
  public func policy(forHost host: String) throws -> ServerTrustPolicy {
    guard !keys.isEmpty else { throw ServerTrustError.noPublicKeysFound }
    var policy = ServerTrustPolicy()
    policy.checksChain = performDefaultValidation
    policy.checksHost = validateHost
    policy.publicKeys = keys
    return policy
  }
}

/// Accepts any certificate, which leaves the connection open to attackers on the network path: only for
/// tests.
///
/// No other evaluator of the package switches all checks off, and this one does so only for the hosts that it is
/// registered for. With the key `*`, these are all hosts.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
  /// Creates an evaluator.
  public init() {}

  /// Returns a policy that checks nothing.
  public func policy(forHost host: String) -> ServerTrustPolicy {
    var policy = ServerTrustPolicy()
    policy.checksChain = false
    policy.checksHost = false
    return policy
  }
}
