public import typealias Foundation.TimeInterval

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
  /// What is done with redirects.
  public var redirects = RedirectPolicy.follow
  /// Through which proxy requests go.
  public var proxy = ProxyPolicy.environment
  /// Who asks, by origin: keys are hosts as above, for `https` at port 443 alone, or name another scheme or port, such as
  /// `https://example.com:8443`, `http://127.0.0.1:8080` and `http://*:8080`.
  ///
  /// A key that is neither is an error of the transport's initialiser, and so is `http://*`: it would mean port 80 alone, so that the
  /// port must be named.
  public var credentials: [String: Credential] = [:]
  /// Where cookies are kept.
  public var cookies = CookieStorage.none
  /// How hosts are found.
  public var names = Names()
  /// Which version of HTTP is spoken.
  public var httpVersion = VersionPolicy.automatic
  /// How long things may take.
  public var timeouts = Timeouts()
  /// How many connections there are, and how long they live.
  public var connections = Connections()
  /// How many threads carry the transfers, 1 to 1,024; each has connections of its own.
  ///
  /// One is enough for tens of thousands of small answers a second. More are of use if there are processors to spare. A transfer is on the
  /// thread that has the fewest. Each has a thread beside it that calls the handlers of its transfers, so that handlers of several
  /// transfers run at the same time.
  ///
  /// The threads share the limits of `connections` evenly; there are never more threads than connections that may be open, in
  /// all or to one host. With HTTP/2 each thread has up to four connections to a host. A file of cookies is written when the last of
  /// them ends.
  public var threads = 1
  /// What the certificate of a host is checked for; `nil` for the usual checks for every host.
  public var serverTrustManager: ServerTrustManager?

  /// Makes the default configuration.
  public init() {}

  /// Which version of HTTP is spoken (`CURLOPT_HTTP_VERSION`).
  public enum VersionPolicy: Sendable {
    /// HTTP/2 over TLS where the server can (ALPN), HTTP/1.1 otherwise and without TLS.
    case automatic
    /// HTTP/1.1 with every server.
    case http1_1
    /// HTTP/2 with every server, without TLS too: only for servers that are known to speak it.
    case http2PriorKnowledge
    /// HTTP/3 over TLS if the server speaks it, otherwise as `automatic`.
    ///
    /// HTTP/3 (QUIC, over UDP) is tried first, and HTTP/2 or HTTP/1.1 as well if there is no connection after a fraction of a second;
    /// the first connection carries the request. Needs a libcurl that was built with HTTP/3; without one, the transport's
    /// initialiser throws `CurlConfigurationError.unsupported`, which names the libcurl at hand.
    case http3
    /// As `automatic`, and HTTP/3 with servers that have advertised it in an answer over TLS (`Alt-Svc`, RFC 7838).
    ///
    /// The first requests go over HTTP/2 or HTTP/1.1, those after an answer with `Alt-Svc: h3=":443"` over HTTP/3, at the host and
    /// port that it names, for as long as it says (`ma`); the server's certificate is still checked for the URL's host. If there is no
    /// connection within 2 seconds, the request goes to the origin as before, and the advertisement is ignored for
    /// five minutes. Advertisements are kept in memory, by the thread that received them (`threads`), and not
    /// used while a proxy is configured. Needs what `http3` needs.
    case http3IfAdvertised
  }

  /// How long things may take, in seconds and fractions; `nil` for no limit.
  ///
  /// How long nothing may come or go is a matter of each request: `TransportRequest.idleTimeout`.
  public struct Timeouts: Sendable, Hashable {
    /// Until there is a connection to the host, TLS included: from the start of the request, the wait for a free
    /// connection included (`CURLOPT_CONNECTTIMEOUT_MS`).
    public var connect: TimeInterval = 60
    /// Until the first byte of the answer: from the start of the transfer, sending the body included.
    public var firstByte: TimeInterval?
    /// Until the end of the transfer, redirects included.
    public var total: TimeInterval?
    /// Until there is a connection to a service that the origin has advertised, behind which the origin itself is asked.
    package var service: TimeInterval = 2

    /// Makes the default: 60 s to connect.
    public init() {}
  }

  /// How many connections there are, and how long they live.
  public struct Connections: Sendable, Hashable {
    /// The most connections at once, kept ones included; what is beyond waits (`CURLMOPT_MAX_TOTAL_CONNECTIONS`).
    ///
    /// `nil` for three quarters of the descriptors that the process may have.
    public var limit: Int?
    /// The most connections to one host; what is beyond waits (`CURLMOPT_MAX_HOST_CONNECTIONS`).
    public var limitPerHost: Int?
    /// The most requests at a time on one connection of HTTP/2; the server may allow fewer
    /// (`CURLMOPT_MAX_CONCURRENT_STREAMS`).
    public var streamLimit = 256
    /// The seconds after which a connection that nobody uses is not used again (`CURLOPT_MAXAGE_CONN`); `nil` for
    /// libcurl's 118.
    public var idleLifetime: TimeInterval?
    /// The seconds after which a connection is not used again, however busy (`CURLOPT_MAXLIFETIME_CONN`,
    /// libcurl 7.80).
    public var lifetime: TimeInterval?
    /// The seconds of silence after which TCP asks whether the other end is still there, and then how often
    /// (`CURLOPT_TCP_KEEPIDLE`, `CURLOPT_TCP_KEEPINTVL`); `nil` for not at all.
    public var keepAlive: TimeInterval? = 60

    /// Makes the default.
    public init() {}
  }
}
