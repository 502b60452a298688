public import struct Foundation.Data

extension CurlConfiguration {
  /// The settings of TLS, including the trusted authorities.
  ///
  /// The server's certificate is always checked, except for the hosts for which an evaluator of the
  /// `serverTrustManager` switches checks off.
  public struct TLS: Sendable, Hashable {
    /// A version of the protocol.
    public enum Version: Int, Sendable, Comparable {
      /// TLS 1.0 (RFC 2246), which most libraries have disabled.
      case v1_0
      /// TLS 1.1 (RFC 4346), which most libraries have disabled.
      case v1_1
      /// TLS 1.2 (RFC 5246).
      case v1_2
      /// TLS 1.3 (RFC 8446).
      case v1_3

      /// Whether one version is older than another.
      public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    }

    /// The certificates that a chain may lead to.
    public enum Authorities: Sendable, Hashable {
      /// The system's certificates, in the location that libcurl was built with.
      case system
      /// Only the certificates of a PEM file (`CURLOPT_CAINFO`); new connections notice within a minute if
      /// the file changes.
      ///
      /// libcurl reads the file again after a minute (`CURLOPT_CA_CACHE_TIMEOUT`) instead of for each
      /// connection, as up to 7.86, because reading many certificates takes longer than the rest of a
      /// handshake. Connections to the server of `names.dnsOverHTTPS` may notice a day later. A connection that
      /// resumes a TLS session relies on the check of the session's first connection.
      case file(String)
      /// Only the certificates of a PEM text (`CURLOPT_CAINFO_BLOB`, libcurl 7.77).
      case data(Data)
    }

    /// A certificate with its key that identifies the client to a server.
    public struct ClientIdentity: Sendable, Hashable {
      /// The location of the bytes.
      public enum Source: Sendable, Hashable {
        /// In a file.
        case file(String)
        /// In memory (libcurl 7.71).
        case data(Data)
      }

      /// The format of the bytes.
      public enum Format: String, Sendable {
        /// Base64 between `BEGIN` and `END` lines.
        case pem = "PEM"
        /// Binary.
        case der = "DER"
        /// A PKCS #12 archive, which contains certificate and key.
        case p12 = "P12"
      }

      /// The certificate (`CURLOPT_SSLCERT`, `CURLOPT_SSLCERT_BLOB`).
      public var certificate: Source
      /// The private key (`CURLOPT_SSLKEY`, `CURLOPT_SSLKEY_BLOB`); `nil` if it is stored with the
      /// certificate.
      public var key: Source?
      /// The password that decrypts the key (`CURLOPT_KEYPASSWD`); it is never asked for.
      public var password: String?
      /// The format of certificate and key (`CURLOPT_SSLCERTTYPE`, `CURLOPT_SSLKEYTYPE`).
      public var format: Format

      /// Creates an identity.
      ///
      /// - Parameters:
      ///   - certificate: the certificate, with its issuers' certificates if the server needs them.
      ///   - key: the private key; `nil` if it is stored with the certificate.
      ///   - password: the password that decrypts the key.
      ///   - format: the format of both.
      public init(certificate: Source, key: Source? = nil, password: String? = nil, format: Format = .pem) {
        self.certificate = certificate
        self.key = key
        self.password = password
        self.format = format
      }
    }

    /// The certificates that a chain may lead to.
    public var authorities = Authorities.system
    /// The oldest allowed version (`CURLOPT_SSLVERSION`).
    public var minimumVersion = Version.v1_2
    /// The newest allowed version; `nil` for the newest that the library supports (`CURLOPT_SSLVERSION`).
    public var maximumVersion: Version?
    /// The ciphers up to TLS 1.2 in the library's notation; `nil` for its choice (`CURLOPT_SSL_CIPHER_LIST`).
    public var ciphers: String?
    /// The ciphers of TLS 1.3 in the library's notation; `nil` for its choice (`CURLOPT_TLS13_CIPHERS`).
    public var ciphersTLS13: String?
    /// Whether requests of safe methods without a body (RFC 9110, section 9.2.1) may be sent as early data,
    /// with the first bytes of a TLS 1.3 connection that resumes an earlier one (`CURLSSLOPT_EARLYDATA`,
    /// libcurl 8.16).
    ///
    /// It saves a round trip if the server accepts it. An attacker on the network path can replay such a
    /// request (RFC 8470), so this is off by default and never done for a POST. These requests and all others
    /// use separate connections. A 425 (Too Early) is a normal response: the request is not sent again.
    public var sendsEarlyData = false
    /// The identities of the client by host; an identity is sent to no other host.
    public var clientIdentities: [String: ClientIdentity] = [:]
    /// The seconds for which libcurl keeps the certificates of `Authorities.file` in memory; 0 to keep none.
    package var authoritiesCacheTime = 60

    /// Creates the default: the system's authorities, TLS 1.2 or newer, no identity.
    public init() {}
  }
}
