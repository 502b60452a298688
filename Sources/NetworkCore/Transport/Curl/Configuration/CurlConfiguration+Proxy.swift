extension CurlConfiguration {
  /// Through which proxy requests go (`CURLOPT_PROXY`).
  public enum ProxyPolicy: Sendable, Hashable {
    /// As the environment says: `http_proxy`, `https_proxy` or `HTTPS_PROXY`, `all_proxy`, and `no_proxy`; none for
    /// this machine itself.
    case environment
    /// None, whatever the environment says.
    case none
    /// This one, whatever the environment says.
    case proxy(Proxy)
    /// One for requests of `http` and one for those of `https`, each `nil` for none, whatever the environment says.
    case byScheme(http: Proxy?, https: Proxy?)

    /// What holds for requests of one scheme.
    func forScheme(isSecure: Bool) -> ProxyPolicy {
      guard case .byScheme(let http, let https) = self else { return self }
      return (isSecure ? https : http).map { .proxy($0) } ?? .none
    }
  }

  /// A proxy.
  public struct Proxy: Sendable, Hashable {
    /// How a proxy is spoken to.
    public enum Kind: String, Sendable {
      /// HTTP: plain requests are handed over, secure ones go through a tunnel (`CONNECT`).
      case http
      /// HTTP over TLS.
      case https
      /// SOCKS 5 (RFC 1928); the proxy looks up the names of hosts.
      case socks5 = "socks5h"
      /// SOCKS 5; names are looked up here.
      case socks5WithLocalNames = "socks5"
    }

    /// How user and password are proved to a proxy of HTTP (`CURLOPT_PROXYAUTH`).
    public enum Authentication: Sendable {
      /// With every request (RFC 7617).
      case basic
      /// Without saying the password (RFC 7616); the proxy is asked twice.
      case digest
    }

    /// How it is spoken to.
    public var kind: Kind
    /// Its name or address.
    public var host: String
    /// Its port.
    public var port: Int
    /// Who asks (`CURLOPT_PROXYUSERNAME`).
    public var user: String?
    /// Proves it (`CURLOPT_PROXYPASSWORD`).
    public var password: String?
    /// How user and password are proved.
    public var authentication = Authentication.basic
    /// The hosts that are asked without it: names, which stand for those under them too, also where they are written as
    /// `*.example.com`, and addresses (`CURLOPT_NOPROXY`).
    public var bypass: [String] = []
    /// Whether plain requests go through a tunnel as well (`CURLOPT_HTTPPROXYTUNNEL`).
    public var tunnelsPlainRequests = false
    /// Whether requests to this machine itself go through it.
    public var servesLoopback = false

    /// Makes a proxy.
    ///
    /// - Parameters:
    ///   - kind: how it is spoken to.
    ///   - host: its name or address; an address of IPv6 in brackets.
    ///   - port: its port, from 1 to 65,535.
    ///   - user: who asks; `nil` for nobody in particular.
    ///   - password: proves it.
    public init(_ kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
      self.kind = kind
      self.host = host
      self.port = port
      self.user = user
      self.password = password
    }
  }
}
