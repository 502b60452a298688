extension CurlConfiguration {
  /// The settings for resolving host names.
  public struct Names: Sendable, Hashable {
    /// Addresses for one port of one host, which replace the result of DNS; TLS and the request still use the
    /// host's name.
    public struct Override: Sendable, Hashable {
      /// The host's name as it appears in URLs.
      public var host: String
      /// The port.
      public var port: Int
      /// IPv4 or IPv6 addresses, tried in this order.
      public var addresses: [String]

      /// Creates an override.
      ///
      /// - Parameters:
      ///   - host: the host's name as it appears in URLs.
      ///   - port: the port, from 1 to 65,535.
      ///   - addresses: at least one IPv4 or IPv6 address, without brackets.
      public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
      }
    }

    /// The IP versions to use.
    public enum Family: Sendable {
      /// Both: the address that connects first, with a head start for IPv6 (RFC 8305).
      case any
      /// IPv4 only.
      case ipv4
      /// IPv6 only.
      case ipv6
    }

    /// Addresses that replace the result of DNS (`CURLOPT_RESOLVE`).
    public var overrides: [Override] = []
    /// The time for which addresses are cached; zero to cache none (`CURLOPT_DNS_CACHE_TIMEOUT`).
    public var cacheTime = Duration.seconds(60)
    /// The IP versions to use (`CURLOPT_IPRESOLVE`).
    public var family = Family.any
    /// The head start of IPv6 (`CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS`); `nil` for libcurl's 200 ms.
    public var headStart: Duration?

    /// The URL of a DNS-over-HTTPS server (RFC 8484; `CURLOPT_DOH_URL`), such as
    /// `https://dns.example/dns-query`; `nil` for the system's resolver.
    ///
    /// The system or `overrides` resolve the server's own name, and its certificate is checked like every
    /// server's. If it does not respond, requests do not fall back to the system's resolver.
    ///
    /// Limits of libcurl: the server is trusted by the authorities of `tls`, also those in memory, and for a host
    /// with a `PinnedCertificatesTrustEvaluator` by its certificates alone. It is asked through the proxy of the
    /// environment (`https_proxy`), whatever the `proxy`. Its connections count towards `connections.limit`, so
    /// requests whose names must be looked up should not take all of these.
    public var dnsOverHTTPS: String?

    /// Creates the default settings.
    public init() {}
  }
}
