extension CurlConfiguration {
  /// A user's credential and the scheme that proves it (`CURLOPT_HTTPAUTH`).
  public typealias Credential = TransportRequest.Credential

  /// The storage of cookies (RFC 6265).
  ///
  /// A host may set cookies for the domain above it. A libcurl that was built without libpsl does not know
  /// public suffixes: it accepts even `Domain=co.uk`, and sends such a cookie to every host under it. `curl
  /// --version` lists `PSL` if libcurl was built with it.
  ///
  /// A storage holds about 3,000 cookies. If there are more, the oldest cookies of the domains with the most
  /// cookies are removed.
  public enum CookieStorage: Sendable, Hashable {
    /// Keeps none: a request sends only the cookies in its own fields.
    case none
    /// Keeps cookies in memory, for the requests of this transport only.
    case memory
    /// Keeps cookies in a file of Netscape's format.
    ///
    /// The file is read when the transport is created, and written when it is released, before the remaining
    /// transfers report their end. A new file is readable by this user only.
    ///
    /// Two transports must not share a file: the one released last would overwrite the cookies of the other.
    case file(String)
  }
}
