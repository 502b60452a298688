/// How a `CurlTransport` talks to servers; what is not said is libcurl's or the system's default.
///
/// ```swift
/// var configuration = CurlConfiguration()
/// configuration.tls.authorities = .file("/etc/ssl/company.pem")
/// configuration.tls.minimumVersion = .v1_3
/// let transport = try CurlTransport(configuration: configuration)
/// ```
///
/// A transport takes a copy; to change something, make another transport. An option that the libcurl at hand does not
/// know is an error of that initialiser (`CurlConfigurationError.unsupported`) and never left out in silence.
///
/// Values by host are dictionaries whose keys are names or addresses, compared without regard to case;
/// `*.example.com` stands for all names that end in `.example.com`, `*` for every host. The most specific key counts.
public struct CurlConfiguration: Sendable {
  /// Encryption, and whom to trust.
  public var tls = TLS()
  /// What the certificate of a host is checked for; `nil` for the usual checks for every host.
  public var serverTrustManager: ServerTrustManager?

  /// Makes the default configuration.
  public init() {}
}
