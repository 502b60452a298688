/// The settings of a `CurlTransport`; unless stated otherwise, the defaults are libcurl's or the system's.
///
/// ```swift
/// var configuration = CurlConfiguration()
/// configuration.tls.authorities = .file("/etc/ssl/company.pem")
/// configuration.tls.minimumVersion = .v1_3
/// let transport = try CurlTransport(configuration: configuration)
/// ```
///
/// A transport takes a copy; to change a setting, create another transport. If the loaded libcurl does not
/// support an option, that initialiser throws `CurlConfigurationError.unsupported`; no option that a program has
/// set is silently ignored.
///
/// Per-host values are dictionaries whose keys are names or addresses, compared case-insensitively.
/// `*.example.com` matches all names that end in `.example.com`, and `*` matches every host. The most
/// specific key applies. Two keys that are spellings of one host make that initialiser throw an error.
public struct CurlConfiguration: Sendable {
  /// The settings of TLS, including the trusted authorities.
  public var tls = TLS()
  /// The handling of redirects.
  public var redirects = RedirectPolicy.follow
  /// The proxy that requests go through.
  public var proxy = ProxyPolicy.environment
  /// The credentials by origin.
  ///
  /// A key is a host as described above, which means `https` on port 443 only, or names another scheme or
  /// port, such as `https://example.com:8443`, `http://127.0.0.1:8080` and `http://*:8080`. The transport's
  /// initialiser throws an error for any other key, and for two keys that are spellings of the same origin.
  /// It also throws for a key with a scheme and an asterisk but no port, such as `http://*`, which would mean port
  /// 80 only.
  public var credentials: [String: Credential] = [:]
  /// The storage of cookies.
  public var cookies = CookieStorage.none
  /// The settings for resolving host names.
  public var names = Names()
  /// The version of HTTP to use.
  public var httpVersion = VersionPolicy.automatic
  /// The time limits.
  public var timeouts = Timeouts()
  /// The number of connections, and how long they live.
  public var connections = Connections()
  /// The number of threads that carry the transfers, 1 to 1,024; each has its own connections.
  ///
  /// One thread is enough for tens of thousands of small responses per second. More threads are useful only
  /// if processors are idle. A transfer is assigned to the thread that has the fewest transfers. Each thread
  /// has a second thread that calls the handlers of its transfers, so that handlers of several transfers run
  /// at the same time.
  ///
  /// The threads share the limits of `connections` evenly, but `requestLimit` applies to all of them together.
  /// There are never more threads than connections that may be open, in total or to one host. With HTTP/2 each
  /// thread has up to 16 connections to a host. A cookie file is written when the last thread ends.
  public var threads = 1
  /// The `User-Agent` of requests that have none, and of requests for a tunnel through a proxy (`CONNECT`);
  /// `nil` or empty to send none.
  ///
  /// The default names the program and the version of this library (`HTTPHeader.defaultUserAgent`).
  public var userAgent: String? = HTTPHeader.defaultUserAgent.value
  /// The `Accept-Language` of requests that have none; `nil` or empty to send none.
  ///
  /// The default lists the languages that the user preferred when the first transport was created
  /// (`HTTPHeader.defaultAcceptLanguage`).
  public var acceptLanguage: String? = HTTPHeader.defaultAcceptLanguage.value
  /// Chooses the checks of a server's certificate by host; `nil` for the default checks for every host.
  public var serverTrustManager: ServerTrustManager?

  /// Creates the default configuration.
  public init() {}

  /// The version of HTTP to use (`CURLOPT_HTTP_VERSION`).
  public enum VersionPolicy: Sendable {
    /// HTTP/2 over TLS if the server supports it (ALPN), otherwise HTTP/1.1; HTTP/1.1 without TLS.
    case automatic
    /// HTTP/1.1 with every server.
    case http1_1
    /// HTTP/2 with every server, even without TLS; only for servers that are known to support it.
    case http2PriorKnowledge
    /// HTTP/3 over TLS if the server supports it, otherwise as `automatic`.
    ///
    /// HTTP/3 (QUIC, over UDP) is tried first. If there is no connection after a fraction of a second, HTTP/2
    /// or HTTP/1.1 is tried as well, and the first connection carries the request. Requires a libcurl that
    /// was built with HTTP/3; without one, the transport's initialiser throws
    /// `CurlConfigurationError.unsupported`, which names the loaded libcurl.
    case http3
    /// As `automatic`, but HTTP/3 with servers that have advertised it in a response over TLS (`Alt-Svc`, RFC
    /// 7838).
    ///
    /// The first requests use HTTP/2 or HTTP/1.1. After a response with `Alt-Svc: h3=":443"`, requests use
    /// HTTP/3, at the host and port that the field names, for as long as it says (`ma`); the server's
    /// certificate is still checked for the URL's host. If there is no connection within 2 seconds, the
    /// request goes to the origin as before, and the advertisement is ignored for five minutes.
    /// Advertisements are kept in memory, by the thread that received them (`threads`), and are not used
    /// while a proxy is configured. Requires what `http3` requires.
    case http3IfAdvertised
  }

  /// Time limits; `nil` for no limit.
  ///
  /// The idle time-out is a property of each request: `TransportRequest.idleTimeout`.
  public struct Timeouts: Sendable, Hashable {
    /// The limit for connecting to the host, TLS included.
    ///
    /// It counts from the start of the request and includes the wait for a free connection
    /// (`CURLOPT_CONNECTTIMEOUT_MS`).
    public var connect = Duration.seconds(60)
    /// The limit until the first byte of the response.
    ///
    /// It counts from the start of the transfer and includes sending the body.
    public var firstByte: Duration?
    /// The limit until the end of the transfer, redirects included.
    public var total: Duration?
    /// The limit for connecting to an advertised alternative service, after which the request goes to the
    /// origin.
    package var service = Duration.seconds(2)

    /// Creates the default: 60 s to connect.
    public init() {}
  }

  /// The number of connections, and how long they live.
  public struct Connections: Sendable, Hashable {
    /// The maximum number of connections at once, idle ones included; further requests wait
    /// (`CURLMOPT_MAX_TOTAL_CONNECTIONS`).
    ///
    /// `nil` for three quarters of the file descriptors that the process may have, from 16 to 49,152.
    public var limit: Int?
    /// The maximum number of connections to one host; further requests wait
    /// (`CURLMOPT_MAX_HOST_CONNECTIONS`).
    public var limitPerHost: Int?
    /// The maximum number of requests at once, those that wait for a connection included; a further one ends with
    /// `TransferError.queueFull(maxWaiting:)`.
    ///
    /// A request no longer counts when its handler is called for the last time, so the handler can start another one.
    /// Each takes a few kilobytes, so this bounds the memory of a program that sends faster than servers respond.
    public var requestLimit = 100_000
    /// The maximum number of concurrent requests on one HTTP/2 connection; the server may allow fewer
    /// (`CURLMOPT_MAX_CONCURRENT_STREAMS`).
    public var streamLimit = 256
    /// The time after which an idle connection is no longer reused (`CURLOPT_MAXAGE_CONN`); `nil` for
    /// libcurl's 118 s.
    public var idleLifetime: Duration?
    /// The time after which a connection is no longer reused, even if it is busy
    /// (`CURLOPT_MAXLIFETIME_CONN`, libcurl 7.80).
    public var lifetime: Duration?
    /// The idle time after which TCP sends its first keep-alive probe, and the interval of the further
    /// probes (`CURLOPT_TCP_KEEPIDLE`, `CURLOPT_TCP_KEEPINTVL`), at most 32,767 s; `nil` for no probes.
    public var keepAlive: Duration? = .seconds(60)

    /// Creates the default.
    public init() {}
  }
}
