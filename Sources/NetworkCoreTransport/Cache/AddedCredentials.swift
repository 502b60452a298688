/// Whether the transport below a cache adds cookies or a credential to a request.
///
/// The cache does not see them in the request.
package struct AddedCredentials: Sendable, Hashable {
  /// Whether the transport may add cookies.
  package var cookies: Bool
  /// Whether the transport may add a credential.
  package var credential: Bool

  /// Creates a description; nothing is added by default.
  package init(cookies: Bool = false, credential: Bool = false) {
    self.cookies = cookies
    self.credential = credential
  }

  /// Asks a transport what it adds to a request; nothing if it is not a transport of this library.
  package init(of transport: any Transport, to request: TransportRequest) {
    self = (transport as? any CredentialAddingTransport)?.addedCredentials(to: request) ?? AddedCredentials()
  }
}

/// A transport that may add cookies or credentials to requests.
package protocol CredentialAddingTransport: Transport {
  /// Returns what the transport adds to a request.
  func addedCredentials(to request: TransportRequest) -> AddedCredentials
}

extension URLProtocolTransport: CredentialAddingTransport {
  package func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    AddedCredentials(of: others, to: request)
  }
}
