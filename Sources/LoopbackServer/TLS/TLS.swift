extension LoopbackServer {
  /// How a server speaks TLS, and the faults in it.
  ///
  /// ```swift
  /// let server = try LoopbackServer(tls: .generated) { _ in .text("secret") }
  /// var configuration = CurlConfiguration()
  /// configuration.tls.authorities = .data(server.authority)
  /// ```
  ///
  /// TLS needs OpenSSL 3 (`libssl.so.3`), which is installed with libcurl on most systems.
  public struct TLS: Sendable, Hashable {
    /// A version of the protocol.
    public enum Version: Int32, Sendable, Hashable, Comparable {
      /// TLS 1.0 (RFC 2246).
      case v1_0 = 0x0301
      /// TLS 1.1 (RFC 4346).
      case v1_1 = 0x0302
      /// TLS 1.2 (RFC 5246).
      case v1_2 = 0x0303
      /// TLS 1.3 (RFC 8446).
      case v1_3 = 0x0304

      /// Whether one version is older than another.
      public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is wrong with a generated certificate.
    public enum Flaw: Sendable, Hashable, CaseIterable {
      /// It was valid until yesterday.
      case expired
      /// It is valid from tomorrow.
      case notYetValid
      /// It names another host.
      case wrongHost
      /// It signs itself; the server's `authority` has not signed it.
      case selfSigned
      /// Its issuer is not the `authority` but a certificate that the server does not send.
      case missingIntermediate
      /// The response that the server staples (RFC 6066, section 8) says that it is revoked.
      case revoked
    }

    /// The certificates that clients must have.
    public enum ClientCertificates: Sendable, Hashable {
      /// None.
      case none
      /// One that the server's authority has signed; `makeClientIdentity(name:)` makes them.
      case generated
      /// One that an authority of this PEM text has signed.
      case signed(by: String)
    }

    /// The names and addresses of a generated certificate beside `localhost`, `127.0.0.1` and `::1`.
    public var names: [String] = []
    /// What is wrong with a generated certificate; `nil` for nothing.
    public var flaw: Flaw?
    /// A certificate of your own; `nil` to generate one when the server starts.
    public var identity: Identity?
    /// The certificates that clients must have.
    public var clientCertificates = ClientCertificates.none
    /// The oldest and the newest version.
    public var versions = Version.v1_2...Version.v1_3
    /// The cipher suites for versions up to TLS 1.2, in OpenSSL's notation; `nil` for OpenSSL's choice.
    public var ciphers: String?
    /// The application protocols (ALPN, RFC 7301) in the order of preference.
    public var applicationProtocols = ["http/1.1"]
    /// Whether the server staples a response about its generated certificate for clients that ask for it.
    public var staplesStatus = false
    /// Whether clients that resume a session may send up to 16 KiB before the end of the handshake.
    public var acceptsEarlyData = false
    /// Whether the server never answers the handshake.
    public var stallsHandshake = false
    /// Whether the server says `close_notify` before it closes a connection.
    public var sendsCloseNotify = true

    /// TLS with a certificate that is generated when the server starts.
    public static var generated: TLS { TLS() }

    /// Creates TLS with a generated certificate.
    ///
    /// - Parameters:
    ///   - names: the names and addresses of the certificate beside `localhost`, `127.0.0.1` and `::1`.
    ///   - flaw: what is wrong with the certificate; `nil` for nothing.
    /// - Returns: the settings.
    public static func generated(names: [String] = [], flaw: Flaw? = nil) -> TLS {
      var tls = TLS()
      tls.names = names
      tls.flaw = flaw
      return tls
    }

    /// Creates TLS with a certificate of your own.
    ///
    /// - Parameter identity: the certificate, followed by those of its issuers, and its key.
    /// - Returns: the settings.
    public static func using(_ identity: Identity) -> TLS {
      var tls = TLS()
      tls.identity = identity
      return tls
    }
  }
}
