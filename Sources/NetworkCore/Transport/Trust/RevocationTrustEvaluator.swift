/// Accepts a server that proves that its certificate has not been withdrawn.
///
/// The server has to staple a response of its authority's to the handshake (OCSP; RFC 6066, section 8), which libcurl checks
/// where its TLS library can; without one the request ends with `CertificateProblem.noStatus`. No list of withdrawn
/// certificates is fetched, and no authority asked: neither OpenSSL nor GnuTLS do that.
public struct RevocationTrustEvaluator: ServerTrustEvaluating {
  /// How Apple's platforms find out; here a stapled response is the only way, whatever the options.
  public struct Options: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// Makes options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// OCSP.
    public static let ocsp = Options(rawValue: 1)
    /// Lists of withdrawn certificates.
    public static let crl = Options(rawValue: 2)
    /// Lists first.
    public static let preferCRL = Options(rawValue: 4)
    /// No answer is a refusal, as it always is here.
    public static let requirePositiveResponse = Options(rawValue: 8)
    /// Nothing is fetched, as nothing ever is here.
    public static let networkAccessDisabled = Options(rawValue: 16)
    /// Any way there is.
    public static let any: Options = [.ocsp, .crl]
  }

  private let performDefaultValidation: Bool
  private let validateHost: Bool

  /// Makes an evaluator.
  ///
  /// - Parameters:
  ///   - performDefaultValidation: whether the chain is checked as well.
  ///   - validateHost: whether the certificate must name the host.
  ///   - options: for source compatibility; see `Options`.
  public init(performDefaultValidation: Bool = true, validateHost: Bool = true, options: Options = .any) {
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// A policy that asks for a stapled response.
  public func policy(forHost host: String) -> ServerTrustPolicy {
    var policy = ServerTrustPolicy()
    policy.checksChain = performDefaultValidation
    policy.checksHost = validateHost
    policy.requiresStatus = true
    return policy
  }
}
