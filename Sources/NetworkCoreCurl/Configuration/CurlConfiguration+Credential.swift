extension CurlConfiguration {
  /// A user's credential and the scheme that proves it (`CURLOPT_HTTPAUTH`).
  public typealias Credential = TransportRequest.Credential

  /// The storage of cookies (RFC 6265, with the protection of secure cookies of RFC 6265bis).
  ///
  /// A host may set cookies for the domain above it, unless that is a public suffix such as `co.uk`. If
  /// libpsl, which knows these, is not installed, only the host itself gets its cookies. Hosts are those of
  /// URLs; a `Host` field does not change them. Servers on this machine count as secure.
  ///
  /// A storage holds about 3,000 cookies. If there are more, cookies of the domains with the most cookies are
  /// removed: those that are not secure first, and then those that were sent or set the longest time ago.
  public enum CookieStorage: Sendable, Hashable {
    /// Keeps none: a request sends only the cookies in its own fields.
    case none
    /// Keeps cookies in memory, for the requests of this transport only.
    case memory
    /// Keeps cookies in a file of Netscape's format.
    ///
    /// The file is read when the transport is created, and written when it is released, before the remaining
    /// transfers report their end. It must belong to this user, who alone can read it afterwards.
    ///
    /// Two transports must not share a file: the one released last would overwrite the cookies of the other.
    case file(String)
  }
}
