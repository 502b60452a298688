public import Foundation

/// An X.509 certificate as bytes; the TLS library interprets the content.
public struct Certificate: Sendable, Hashable {
  /// The certificate in DER.
  public let der: Data

  /// Creates a certificate from DER, the content of most `.cer` and `.der` files.
  ///
  /// - Parameter der: the bytes of one certificate.
  /// - Throws: `CertificateFormatError` if they are not one DER sequence from end to end.
  public init(der: Data) throws(CertificateFormatError) {
    guard Self.isSequence(der) else { throw .notDER(byteCount: der.count) }
    self.der = der
  }

  /// Reads the certificates of a PEM text: every `BEGIN CERTIFICATE` block, in order.
  ///
  /// - Parameter text: PEM (RFC 7468); text between the blocks is skipped.
  /// - Returns: at least one certificate.
  /// - Throws: `CertificateFormatError` if the text has no certificate, or one that is not Base64 of DER.
  public static func certificates(pem text: String) throws(CertificateFormatError) -> [Certificate] {
    var certificates: [Certificate] = []
    for block in text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst() {
      let content = block.components(separatedBy: "-----END CERTIFICATE-----")
      guard content.count == 2, let der = Data(base64Encoded: content[0], options: .ignoreUnknownCharacters)
      else { throw .notPEM }
      certificates.append(try Certificate(der: der))
    }
    guard !certificates.isEmpty else { throw .notPEM }
    return certificates
  }

  /// Returns the certificates in a bundle: the files with the extensions `cer`, `crt`, `der` and `pem`.
  ///
  /// - Parameter bundle: the bundle to search.
  /// - Returns: the certificates in the order of the file names; files that are not certificates are skipped.
  public static func bundled(in bundle: Bundle = .main) -> [Certificate] {
    let names = ["cer", "CER", "crt", "CRT", "der", "DER", "pem", "PEM"]
    let files = Set(names.flatMap { bundle.paths(forResourcesOfType: $0, inDirectory: nil) })
    return files.sorted().flatMap { path -> [Certificate] in
      guard let content = FileManager.default.contents(atPath: path) else { return [] }
      if let certificate = try? Certificate(der: content) { return [certificate] }
      return (try? certificates(pem: String(decoding: content, as: UTF8.self))) ?? []
    }
  }

  /// The certificate in PEM.
  public var pem: String {
    let lines = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
  }

  /// Whether the bytes are one SEQUENCE whose length field matches the remaining bytes (X.690, section 8.1).
  private static func isSequence(_ data: Data) -> Bool {
    let bytes = [UInt8](data.prefix(6))
    guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
    if bytes[1] < 0x80 { return data.count == 2 + Int(bytes[1]) }
    let count = Int(bytes[1] & 0x7F)
    guard (1...4).contains(count), bytes.count >= 2 + count else { return false }
    let length = bytes[2..<(2 + count)].reduce(0) { $0 << 8 | Int($1) }
    return data.count == 2 + count + length
  }
}

/// The reason why bytes or a text are not a certificate.
public enum CertificateFormatError: Error, Sendable, Hashable, LocalizedError {
  /// The bytes are not one DER sequence.
  case notDER(byteCount: Int)
  /// The text has no complete `BEGIN CERTIFICATE` block.
  case notPEM

  /// A description of the error in one line.
  public var errorDescription: String? {
    switch self {
    case .notDER(let count): "\(count) bytes are not a certificate in DER."
    case .notPEM: "The text contains no certificate in PEM."
    }
  }
}
