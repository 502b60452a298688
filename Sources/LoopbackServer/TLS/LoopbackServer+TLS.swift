public import struct Foundation.Data

extension LoopbackServer {
  /// The certificate of the authority that has signed the server's, in PEM, for a client's list of trusted
  /// authorities; empty without TLS.
  ///
  /// If the server has a certificate of your own, it is that text.
  public var authority: Data {
    state.tls.map { $0.authority?.certificate ?? $0.identity.certificate } ?? Data()
  }

  /// The pins of the server's certificate: `sha256//` and the hash of its public key in Base64; empty without
  /// TLS.
  public var pins: [String] { state.tls.map { [$0.identity.pin] } ?? [] }

  /// The server's certificate and its key, for another server of the same hosts; `nil` without TLS.
  public var identity: Identity? { state.tls?.identity }

  /// Makes a certificate for a client, which the server's authority signs.
  ///
  /// - Parameter name: the common name of the client.
  /// - Returns: the certificate and its key.
  /// - Throws: `SystemError` if the server has no authority: it has a certificate of your own, or no TLS.
  public func makeClientIdentity(name: String) throws(SystemError) -> Identity {
    guard let authority = state.tls?.authority else {
      throw SystemError(
        call: "makeClientIdentity", code: 0, message: "the server has no authority of its own")
    }
    return try .issue(.init(commonName: name), by: authority)
  }
}
