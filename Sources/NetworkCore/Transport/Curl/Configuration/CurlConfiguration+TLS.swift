public import struct Foundation.Data

extension CurlConfiguration {
  /// Encryption, and whom to trust.
  ///
  /// The server's certificate is always checked; only a `DisabledTrustEvaluator` of the `serverTrustManager` leaves
  /// that out, for the hosts it is named for.
  public struct TLS: Sendable, Hashable {
    /// A version of the protocol.
    public enum Version: Int, Sendable, Comparable {
      /// TLS 1.0 (RFC 2246), which most libraries have switched off.
      case v1_0
      /// TLS 1.1 (RFC 4346), which most libraries have switched off.
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
      /// Those of the system, as libcurl was built to find them.
      case system
      /// Those of a PEM file, and no others (`CURLOPT_CAINFO`); read again for new connections.
      case file(String)
      /// Those of a PEM text, and no others (`CURLOPT_CAINFO_BLOB`, libcurl 7.77).
      case data(Data)
    }

    /// A certificate with its key, by which a server recognises the client.
    public struct ClientIdentity: Sendable, Hashable {
      /// Where the bytes are.
      public enum Source: Sendable, Hashable {
        /// In a file.
        case file(String)
        /// In memory (libcurl 7.71).
        case data(Data)
      }

      /// How the bytes are to be read.
      public enum Format: String, Sendable {
        /// Base64 between `BEGIN` and `END` lines.
        case pem = "PEM"
        /// Binary.
        case der = "DER"
        /// A PKCS #12 archive, which holds certificate and key.
        case p12 = "P12"
      }

      /// The certificate (`CURLOPT_SSLCERT`, `CURLOPT_SSLCERT_BLOB`).
      public var certificate: Source
      /// The private key (`CURLOPT_SSLKEY`, `CURLOPT_SSLKEY_BLOB`); `nil` where it is with the certificate.
      public var key: Source?
      /// What decrypts the key (`CURLOPT_KEYPASSWD`).
      public var password: String?
      /// The format of certificate and key (`CURLOPT_SSLCERTTYPE`, `CURLOPT_SSLKEYTYPE`).
      public var format: Format

      /// Makes an identity.
      ///
      /// - Parameters:
      ///   - certificate: the certificate, with those above it where the server needs them.
      ///   - key: the private key; `nil` where it is with the certificate.
      ///   - password: what decrypts the key.
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
    /// The oldest version to speak (`CURLOPT_SSLVERSION`).
    public var minimumVersion = Version.v1_2
    /// The newest version to speak; `nil` for what the library can (`CURLOPT_SSLVERSION`).
    public var maximumVersion: Version?
    /// The ciphers up to TLS 1.2 in the library's notation; `nil` for its choice (`CURLOPT_SSL_CIPHER_LIST`).
    public var ciphers: String?
    /// The ciphers of TLS 1.3 in the library's notation; `nil` for its choice (`CURLOPT_TLS13_CIPHERS`).
    public var ciphersTLS13: String?
    /// Whether requests of safe methods without a body (RFC 9110, section 9.2.1) may be sent with the first bytes of a connection
    /// of TLS 1.3 that resumes an earlier one (`CURLSSLOPT_EARLYDATA`, libcurl 8.16).
    ///
    /// It saves a round trip if the server accepts it. Somebody on the way can make a server see such a request more than once
    /// (RFC 8470), which is why it is off by default and never done for a POST.
    /// Such requests and all others have connections of their own. A 425 (Too Early) is an answer like any other: it is not sent again.
    public var sendsEarlyData = false
    /// Who the client is, by host; an identity is shown to no other host.
    public var clientIdentities: [String: ClientIdentity] = [:]

    /// Makes the default: the system's authorities, TLS 1.2 or newer, no identity.
    public init() {}
  }
}
