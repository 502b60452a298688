import CLoopbackServer

import struct Foundation.Data

/// The TLS of a server: its certificate, its authority, and the settings of its connections.
///
/// `@unchecked Sendable`: the object of C does not change, and OpenSSL counts its users.
final class TLSContext: @unchecked Sendable {
  /// Signs generated certificates; `nil` if the server has a certificate of its own.
  let authority: LoopbackServer.Identity?
  /// The server's certificate.
  let identity: LoopbackServer.Identity
  let settings: LoopbackServer.TLS
  private let context: OpaquePointer

  init(_ settings: LoopbackServer.TLS) throws(LoopbackServer.SystemError) {
    self.settings = settings
    var status: [UInt8] = []
    var chain = Data()
    if let own = settings.identity {
      (authority, identity) = (nil, own)
    } else {
      let authority = try LoopbackServer.Identity.issue(
        .init(commonName: "LoopbackServer authority", isAuthority: true))
      let issuer = try Self.issuer(for: settings.flaw, authority)
      let subject = Self.subject(of: settings)
      identity = try .issue(subject, by: settings.flaw == .selfSigned ? nil : issuer)
      if settings.staplesStatus || settings.flaw == .revoked {
        status = try issuer.status(of: identity.certificate, isRevoked: settings.flaw == .revoked)
        // Some clients can check the status only if the server sends its issuer too.
        chain += issuer.certificate
      }
      self.authority = authority
    }
    let sent = LoopbackServer.Identity(certificate: identity.certificate + chain, key: identity.key)
    context = try Self.makeContext(settings, sent, authority, status)
  }

  deinit {
    cloopback_tls_free(context)
  }

  func makeSession(for descriptor: Int32) -> TLSSession? {
    cloopback_session_make(context, descriptor).map { TLSSession($0, context: self) }
  }

  private static func issuer(
    for flaw: LoopbackServer.TLS.Flaw?, _ authority: LoopbackServer.Identity
  ) throws(LoopbackServer.SystemError) -> LoopbackServer.Identity {
    guard flaw == .missingIntermediate else { return authority }
    return try .issue(.init(commonName: "LoopbackServer intermediate", isAuthority: true), by: authority)
  }

  private static func subject(of settings: LoopbackServer.TLS) -> LoopbackServer.Identity.Subject {
    let names = ["localhost", "127.0.0.1", "::1"] + settings.names
    return switch settings.flaw {
    case .expired: .init(commonName: "localhost", names: names, days: -30 ... -1)
    case .notYetValid: .init(commonName: "localhost", names: names, days: 1...30)
    case .wrongHost: .init(commonName: "other.invalid", names: ["other.invalid"])
    default: .init(commonName: "localhost", names: names)
    }
  }

  private static func makeContext(
    _ settings: LoopbackServer.TLS, _ identity: LoopbackServer.Identity,
    _ authority: LoopbackServer.Identity?, _ status: [UInt8]
  ) throws(LoopbackServer.SystemError) -> OpaquePointer {
    let clients: String? =
      switch settings.clientCertificates {
      case .none: nil
      // Without an authority the text names none, which OpenSSL refuses.
      case .generated: authority?.certificate.text ?? ""
      case .signed(let authorities): authorities
      }
    // A name has 1 to 255 bytes (RFC 7301, section 3.1).
    let names = settings.applicationProtocols.filter { 1...255 ~= $0.utf8.count }
    let protocols = names.flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
    let error = ErrorText()
    let made = identity.withCIdentity { identity in
      withOptionalCString(clients) { clients in
        withOptionalCString(settings.ciphers) { ciphers in
          protocols.withUnsafeBufferPointer { protocols in
            status.withUnsafeBufferPointer { status in
              var values = cloopback_tls_settings()
              values.certificates = UnsafePointer(identity.pointee.certificate)
              values.key = UnsafePointer(identity.pointee.key)
              values.clientAuthorities = clients
              values.oldestVersion = settings.versions.lowerBound.rawValue
              values.newestVersion = settings.versions.upperBound.rawValue
              values.ciphers = ciphers
              values.protocols = protocols.baseAddress
              values.protocolCount = protocols.count
              values.status = status.baseAddress
              values.statusCount = status.count
              values.acceptsEarlyData = settings.acceptsEarlyData
              return cloopback_tls_make(&values, error.text, error.capacity)
            }
          }
        }
      }
    }
    guard let made else { throw error.systemError() }
    return made
  }
}

private func withOptionalCString<Result>(
  _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
  text.map { $0.withCString(body) } ?? body(nil)
}
