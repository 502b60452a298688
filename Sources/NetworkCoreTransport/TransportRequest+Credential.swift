extension TransportRequest {
  /// A user's credential and the scheme that proves it.
  ///
  /// User and password must not have control characters (RFC 7617, section 2). A request's own
  /// `Authorization` field takes precedence. Without TLS, an attacker on the network path can read and replay
  /// the credentials of Basic and Bearer.
  public indirect enum Credential: Sendable, Hashable {
    /// Sends user and password with every request (RFC 7617).
    case basic(user: String, password: String)
    /// Proves the password without revealing it (RFC 7616).
    ///
    /// A request is first sent without its body, to receive the server's challenge, and then in full.
    case digest(user: String, password: String)
    /// Sends a token with every request (RFC 6750).
    case bearer(token: String)
    /// Sends the system's ticket for this user (SPNEGO, Kerberos; RFC 4559); not every libcurl supports it.
    case negotiate
  }
}
