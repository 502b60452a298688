import CLoopbackServer
public import struct Foundation.Data

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension LoopbackServer {
  /// A certificate and its private key, both in PEM.
  public struct Identity: Sendable, Hashable {
    /// The certificate, followed by those of its issuers if peers need them.
    public let certificate: Data
    /// The private key, which nothing protects: use it in tests only.
    public let key: Data

    /// Creates an identity from PEM.
    public init(certificate: Data, key: Data) {
      self.certificate = certificate
      self.key = key
    }

    /// The hash of the certificate's public key, as pins write it: `sha256//` and 32 bytes in Base64; empty
    /// if there is no certificate.
    public var pin: String {
      var hash = [UInt8](repeating: 0, count: 32)
      let isHashed = certificate.text.withCString { cloopback_key_hash($0, &hash) }
      return isHashed ? "sha256//" + Data(hash).base64EncodedString() : ""
    }
  }
}

extension LoopbackServer.Identity {
  /// Whom a certificate is about, and how long it is valid, in days from now.
  struct Subject {
    var commonName: String
    var names: [String] = []
    var isAuthority = false
    var days = -1...365
  }

  /// Makes a key and its certificate, which the issuer signs, or itself if there is none.
  static func issue(
    _ subject: Subject, by issuer: Self? = nil
  ) throws(LoopbackServer.SystemError) -> Self {
    let names = subject.names.map { isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }.joined(separator: ",")
    let error = ErrorText()
    var made = cloopback_identity()
    subject.commonName.withCString { commonName in
      names.withCString { names in
        var request = cloopback_certificate_request()
        request.commonName = commonName
        request.alternativeNames = subject.names.isEmpty ? nil : names
        request.isAuthority = subject.isAuthority
        request.validFrom = subject.days.lowerBound * 86_400
        request.validUntil = subject.days.upperBound * 86_400
        if let issuer {
          issuer.withCIdentity { made = cloopback_issue(&request, $0, error.text, error.capacity) }
        } else {
          made = cloopback_issue(&request, nil, error.text, error.capacity)
        }
      }
    }
    defer { cloopback_identity_free(&made) }
    guard let certificate = made.certificate, let key = made.key else { throw error.systemError() }
    return Self(
      certificate: Data(String(cString: certificate).utf8), key: Data(String(cString: key).utf8))
  }

  /// Calls a function of C with the identity.
  func withCIdentity<Result>(_ body: (UnsafePointer<cloopback_identity>) -> Result) -> Result {
    var certificate = Array(certificate.text.utf8CString)
    var key = Array(key.text.utf8CString)
    return certificate.withUnsafeMutableBufferPointer { certificate in
      key.withUnsafeMutableBufferPointer { key in
        var identity = cloopback_identity(certificate: certificate.baseAddress, key: key.baseAddress)
        return body(&identity)
      }
    }
  }

  /// Returns an OCSP response about a certificate that this identity has issued.
  func status(of certificate: Data, isRevoked: Bool) throws(LoopbackServer.SystemError) -> [UInt8] {
    let error = ErrorText()
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = certificate.text.withCString { text in
      withCIdentity {
        cloopback_status_response(text, $0, isRevoked, &bytes, error.text, error.capacity)
      }
    }
    guard let bytes, count > 0 else { throw error.systemError() }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}

extension Data {
  /// The bytes as text.
  var text: String { String(decoding: self, as: UTF8.self) }
}

/// Receives the reason for which a function of C failed.
final class ErrorText {
  let text: UnsafeMutablePointer<CChar>
  let capacity = 200

  init() {
    text = .allocate(capacity: capacity)
    text.initialize(repeating: 0, count: capacity)
  }

  deinit {
    text.deallocate()
  }

  /// The error of a library.
  func systemError(_ library: String = "OpenSSL") -> LoopbackServer.SystemError {
    .init(call: library, code: 0, message: String(cString: text))
  }
}

private func isAddress(_ name: String) -> Bool {
  var address = in6_addr()
  return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
}
