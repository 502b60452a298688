/// Checks what is always checked: the chain, and that the certificate is for the host.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
  private let validateHost: Bool

  /// Makes an evaluator.
  ///
  /// - Parameter validateHost: whether the certificate must name the host.
  public init(validateHost: Bool = true) {
    self.validateHost = validateHost
  }

  /// The default policy.
  public func policy(forHost host: String) -> ServerTrustPolicy {
    var policy = ServerTrustPolicy()
    policy.checksHost = validateHost
    return policy
  }
}

/// Accepts a chain that holds one of the given certificates: the server's own, or that of an authority above it.
///
/// The pinned certificates are the only anchors, so a pinned certificate need not be known to the system. Dates are
/// checked in every case, also where Alamofire would skip them.
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
  private let certificates: [Certificate]
  private let validateHost: Bool

  /// Makes an evaluator.
  ///
  /// - Parameters:
  ///   - certificates: what a chain must hold one of; the main bundle's unless given.
  ///   - acceptSelfSignedCertificates: for source compatibility; a pinned certificate may always be self-signed.
  ///   - performDefaultValidation: for source compatibility; the chain is always checked up to the pinned certificate.
  ///   - validateHost: whether the server's certificate must name the host.
  public init(
    certificates: [Certificate] = Certificate.bundled(), acceptSelfSignedCertificates: Bool = false,
    performDefaultValidation: Bool = true, validateHost: Bool = true
  ) {
    self.certificates = certificates
    self.validateHost = validateHost
  }

  /// A policy with the certificates as the only anchors.
  ///
  /// - Throws: `ServerTrustError.noCertificatesFound` where there is none.
  public func policy(forHost host: String) throws -> ServerTrustPolicy {
    guard !certificates.isEmpty else { throw ServerTrustError.noCertificatesFound }
    var policy = ServerTrustPolicy()
    policy.checksHost = validateHost
    policy.anchors = certificates
    return policy
  }
}

/// Accepts a server whose key is one of the given ones.
///
/// The key is that of the server's own certificate; those of the authorities above it do not count, where Alamofire
/// would take them.
public struct PublicKeysTrustEvaluator: ServerTrustEvaluating {
  private let keys: [PublicKeyPin]
  private let performDefaultValidation: Bool
  private let validateHost: Bool

  /// Makes an evaluator.
  ///
  /// - Parameters:
  ///   - keys: the keys of which the server must have one; name the next one too, before the server changes to it.
  ///   - performDefaultValidation: whether the chain is checked as well.
  ///   - validateHost: whether the certificate must name the host.
  public init(keys: [PublicKeyPin], performDefaultValidation: Bool = true, validateHost: Bool = true) {
    self.keys = keys
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// A policy with the keys.
  ///
  /// - Throws: `ServerTrustError.noPublicKeysFound` where there is none.
  public func policy(forHost host: String) throws -> ServerTrustPolicy {
    guard !keys.isEmpty else { throw ServerTrustError.noPublicKeysFound }
    var policy = ServerTrustPolicy()
    policy.checksChain = performDefaultValidation
    policy.checksHost = validateHost
    policy.publicKeys = keys
    return policy
  }
}

/// Accepts any certificate, which leaves the connection open to anybody on the way: for tests alone.
///
/// It is the only way to switch the checks off, and does so for the hosts it is named for.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
  /// Makes an evaluator.
  public init() {}

  /// A policy that checks nothing.
  public func policy(forHost host: String) -> ServerTrustPolicy {
    var policy = ServerTrustPolicy()
    policy.checksChain = false
    policy.checksHost = false
    return policy
  }
}
