/// Accepts a server that proves that its certificate has not been revoked.
///
/// The server has to staple an OCSP response of its authority to the handshake (RFC 6066, section 8). libcurl
/// checks it if its TLS library can; without a stapled response the request ends with
/// `CertificateProblem.noStatus`. No revocation list is fetched, and no authority is contacted, because
/// neither OpenSSL nor GnuTLS does that.
public struct RevocationTrustEvaluator: ServerTrustEvaluating {
  /// The checks of revocation on Apple's platforms; here only a stapled response counts, whatever the
  /// options.
  public struct Options: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// OCSP.
    public static let ocsp = Options(rawValue: 1)
    /// Revocation lists.
    public static let crl = Options(rawValue: 2)
    /// Revocation lists first.
    public static let preferCRL = Options(rawValue: 4)
    /// Refuses a server without a response, as this evaluator always does.
    public static let requirePositiveResponse = Options(rawValue: 8)
    /// Fetches nothing, as is always the case with this evaluator.
    public static let networkAccessDisabled = Options(rawValue: 16)
    /// Any available method.
    public static let any: Options = [.ocsp, .crl]
  }

  private let performDefaultValidation: Bool
  private let validateHost: Bool

  /// Creates an evaluator.
  ///
  /// - Parameters:
  ///   - performDefaultValidation: whether the chain is checked as well.
  ///   - validateHost: whether the certificate must name the host.
  ///   - options: ignored, for source compatibility; see `Options`.
  public init(performDefaultValidation: Bool = true, validateHost: Bool = true, options: Options = .any) {
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// Returns a policy that requires a stapled response.
  public func policy(forHost host: String) -> ServerTrustPolicy {
    var policy = ServerTrustPolicy()
    policy.checksChain = performDefaultValidation
    policy.checksHost = validateHost
    policy.requiresStatus = true
    return policy
  }
}
