public import Foundation

/// The SHA-256 of a public key that identifies a server (RFC 7469, section 2.4).
///
/// This command prints the pin of a certificate in `server.pem`:
///
/// ```sh
/// openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform der |
///   openssl dgst -sha256 -binary | base64
/// ```
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes of the hash.
  public let sha256: Data

  /// Creates a pin from a hash.
  ///
  /// - Parameter sha256: the SHA-256 of the key's SubjectPublicKeyInfo in DER.
  /// - Throws: `PublicKeyPinError` if it does not have 32 bytes.
  public init(sha256: Data) throws(PublicKeyPinError) {
    guard sha256.count == 32 else { throw PublicKeyPinError(value: sha256.base64EncodedString()) }
    self.sha256 = sha256
  }

  /// Reads a pin in the notation of curl and RFC 7469.
  ///
  /// - Parameter text: the hash in Base64, with or without the prefix `sha256//` or `sha256/`.
  /// - Throws: `PublicKeyPinError` if the text is anything else.
  public init(_ text: String) throws(PublicKeyPinError) {
    // A hash may begin with a slash, so its length tells where a prefix ends.
    let encoded = ["sha256//", "sha256/", ""].filter { text.hasPrefix($0) }
      .map { text.dropFirst($0.count) }.first { $0.utf8.count == 44 }
    guard let encoded, let hash = Data(base64Encoded: String(encoded)), hash.count == 32 else {
      throw PublicKeyPinError(value: text)
    }
    sha256 = hash
  }

  /// The pin in libcurl's notation: `sha256//` and the hash in Base64.
  public var description: String { "sha256//" + sha256.base64EncodedString() }
}

/// The error for a value that is not the SHA-256 of a key.
public struct PublicKeyPinError: Error, Sendable, Hashable, LocalizedError {
  /// The rejected value.
  public let value: String

  /// A description of the error in one line.
  public var errorDescription: String? {
    "\"\(value)\" is not a public-key pin: sha256// and 32 bytes in Base64 are expected."
  }
}
