extension CurlConfiguration {
  /// The proxy that requests go through (`CURLOPT_PROXY`).
  public enum ProxyPolicy: Sendable, Hashable {
    /// The proxy of the environment: `http_proxy`, `https_proxy` or `HTTPS_PROXY`, `all_proxy`, and
    /// `no_proxy`. Requests to this machine itself use none.
    case environment
    /// No proxy, whatever the environment says.
    case none
    /// The given proxy, whatever the environment says.
    case proxy(Proxy)
    /// One proxy for `http` and one for `https`, each `nil` for none, whatever the environment says.
    case byScheme(http: Proxy?, https: Proxy?)

    /// The policy for requests of one scheme.
    func forScheme(isSecure: Bool) -> ProxyPolicy {
      guard case .byScheme(let http, let https) = self else { return self }
      return (isSecure ? https : http).map { .proxy($0) } ?? .none
    }
  }

  /// A proxy.
  public struct Proxy: Sendable, Hashable {
    /// The protocol of a proxy.
    public enum Kind: String, Sendable {
      /// HTTP: the proxy forwards plain requests and tunnels secure ones (`CONNECT`).
      case http
      /// HTTP over TLS.
      case https
      /// SOCKS 5 (RFC 1928); the proxy resolves the names of hosts.
      case socks5 = "socks5h"
      /// SOCKS 5; the client resolves the names of hosts.
      case socks5WithLocalNames = "socks5"
    }

    /// The scheme that proves user and password to an HTTP proxy (`CURLOPT_PROXYAUTH`).
    public enum Authentication: Sendable {
      /// Sends user and password with every request (RFC 7617).
      case basic
      /// Proves the password without revealing it (RFC 7616); needs two requests to the proxy.
      case digest
    }

    /// The protocol of the proxy.
    public var kind: Kind
    /// The name or address of the proxy.
    public var host: String
    /// The port of the proxy.
    public var port: Int
    /// The user name (`CURLOPT_PROXYUSERNAME`).
    ///
    /// A proxy that forwards a request does not get user and password if the request has its own
    /// `Proxy-Authorization`.
    public var user: String?
    /// The password of the user (`CURLOPT_PROXYPASSWORD`); not valid without a user, who may be `""`.
    public var password: String?
    /// The scheme that proves user and password.
    public var authentication = Authentication.basic
    /// The hosts that are requested without the proxy (`CURLOPT_NOPROXY`): addresses, names, and blocks of
    /// IPv4 addresses such as `10.0.0.0/8` (libcurl 7.86).
    ///
    /// A name also matches the names below it; `*.example.com` means the same as `example.com`. Spellings of
    /// one name or address are equal. The transport's initialiser throws for an entry that no host matches, such
    /// as one with a port.
    public var bypass: [String] = []
    /// Whether plain requests go through a tunnel as well (`CURLOPT_HTTPPROXYTUNNEL`).
    public var tunnelsPlainRequests = false
    /// Whether requests to this machine itself go through the proxy.
    public var servesLoopback = false

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - kind: the protocol.
    ///   - host: the name or address; an IPv6 address in brackets.
    ///   - port: the port, from 1 to 65,535.
    ///   - user: the user name; `nil` for none.
    ///   - password: the password of the user.
    public init(_ kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
      self.kind = kind
      self.host = host
      self.port = port
      self.user = user
      self.password = password
    }
  }
}
