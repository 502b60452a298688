extension CurlConfiguration {
  /// Who asks, and how it is proved (`CURLOPT_HTTPAUTH`).
  ///
  /// User and password have no control characters (RFC 7617, section 2). A request's own `Authorization` takes its place. Without TLS, everybody on the way can read or repeat what
  /// Basic and Bearer send.
  public indirect enum Credential: Sendable, Hashable {
    /// User and password with every request (RFC 7617).
    case basic(user: String, password: String)
    /// User and password without saying the password (RFC 7616).
    ///
    /// A request is sent without its body first, to learn what the server asks for, and then as a whole.
    case digest(user: String, password: String)
    /// A token with every request (RFC 6750).
    case bearer(token: String)
    /// The ticket that the system has for this user (SPNEGO, Kerberos; RFC 4559); not with every libcurl.
    case negotiate
  }

  /// Where cookies are kept (RFC 6265).
  ///
  /// A host may set cookies for the domain above it. A libcurl that was built without libpsl does not know public suffixes: it takes
  /// `Domain=co.uk` too, and sends such a cookie to every host under it. `curl --version` lists `PSL` if it was built with it.
  ///
  /// There is room for some 3,000: of more, the oldest of the domains that have most are forgotten.
  public enum CookieStorage: Sendable, Hashable {
    /// Nowhere: none is sent that a request does not have as a field.
    case none
    /// In memory, for the requests of this transport alone.
    case memory
    /// In a file of Netscape's format, read when the transport is made and written when it goes away: before the transfers
    /// that are left then are told that they are over. A new one is readable by this user alone.
    ///
    /// Two transports must not be given one file: the one that goes last would overwrite what the other has written.
    case file(String)
  }
}
