public import typealias Foundation.TimeInterval

extension CurlConfiguration {
  /// How hosts are found.
  public struct Names: Sendable, Hashable {
    /// Addresses for one port of one host, in place of what the name service says; TLS and the request still use the
    /// host's name.
    public struct Override: Sendable, Hashable {
      /// The host's name as it stands in URLs.
      public var host: String
      /// The port.
      public var port: Int
      /// Addresses of IPv4 or IPv6, tried in this order.
      public var addresses: [String]

      /// Makes an override.
      ///
      /// - Parameters:
      ///   - host: the host's name as it stands in URLs.
      ///   - port: the port, from 1 to 65,535.
      ///   - addresses: at least one address of IPv4 or IPv6, without brackets.
      public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
      }
    }

    /// Which addresses are used.
    public enum Family: Sendable {
      /// Those that answer first, IPv6 with a head start (RFC 8305).
      case any
      /// Those of IPv4 alone.
      case ipv4
      /// Those of IPv6 alone.
      case ipv6
    }

    /// Addresses in place of what the name service says (`CURLOPT_RESOLVE`).
    public var overrides: [Override] = []
    /// The seconds for which addresses are remembered, 0 for not at all (`CURLOPT_DNS_CACHE_TIMEOUT`).
    public var cacheTime: TimeInterval = 60
    /// Which addresses are used (`CURLOPT_IPRESOLVE`).
    public var family = Family.any
    /// The head start of IPv6 in seconds (`CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS`); `nil` for libcurl's 0.2.
    public var headStart: TimeInterval?

    /// The URL of a name service that is asked over HTTPS (RFC 8484; `CURLOPT_DOH_URL`), such as `https://dns.example/dns-query`;
    /// `nil` for the system's.
    ///
    /// Its own name is looked up by the system or by `overrides`, its certificate is checked like every server's, and no request asks
    /// the system if it does not answer. libcurl takes for it what `tls` says of authorities in a file,
    /// not of those in memory, and asks it without a proxy that is configured.
    public var dnsOverHTTPS: String?

    /// Makes the default.
    public init() {}
  }
}
