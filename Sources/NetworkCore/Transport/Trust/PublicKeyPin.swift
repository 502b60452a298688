public import Foundation

/// The SHA-256 of a public key, by which a server is recognised (RFC 7469, section 2.4).
///
/// For a certificate in `server.pem` it is printed by
///
/// ```sh
/// openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform der |
///   openssl dgst -sha256 -binary | base64
/// ```
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes of the hash.
  public let sha256: Data

  /// Takes a hash.
  ///
  /// - Parameter sha256: the SHA-256 of the key's SubjectPublicKeyInfo in DER.
  /// - Throws: `PublicKeyPinError` where it does not have 32 bytes.
  public init(sha256: Data) throws(PublicKeyPinError) {
    guard sha256.count == 32 else { throw PublicKeyPinError(value: sha256.base64EncodedString()) }
    self.sha256 = sha256
  }

  /// Reads a pin as curl and RFC 7469 write it.
  ///
  /// - Parameter text: the hash in Base64, with or without `sha256//` or `sha256/` before it.
  /// - Throws: `PublicKeyPinError` where it is anything else.
  public init(_ text: String) throws(PublicKeyPinError) {
    let prefix = ["sha256//", "sha256/"].first { text.hasPrefix($0) } ?? ""
    guard let hash = Data(base64Encoded: String(text.dropFirst(prefix.count))), hash.count == 32 else {
      throw PublicKeyPinError(value: text)
    }
    sha256 = hash
  }

  /// The pin as libcurl takes it: `sha256//` and the hash in Base64.
  public var description: String { "sha256//" + sha256.base64EncodedString() }
}

/// What was given as a pin is not the SHA-256 of a key.
public struct PublicKeyPinError: Error, Sendable, Hashable, LocalizedError {
  /// What was given.
  public let value: String

  /// What is wrong, in one line.
  public var errorDescription: String? {
    "\"\(value)\" is not a public-key pin: sha256// and 32 bytes in Base64 are expected."
  }
}
