/// The fields that the transport below a cache adds to a request; the cache does not see them in the request.
package struct RequestAdditions: Sendable, Hashable {
  /// Whether the transport may add cookies.
  package var cookies: Bool
  /// Whether the transport may add a credential.
  package var credential: Bool

  /// Creates a description of additions; none by default.
  package init(cookies: Bool = false, credential: Bool = false) {
    self.cookies = cookies
    self.credential = credential
  }

  /// Reads a transport's additions to a request; none if it is not a transport of this library.
  package init(of transport: any Transport, to request: TransportRequest) {
    self = (transport as? any TransportWithAdditions)?.additions(to: request) ?? RequestAdditions()
  }
}

/// A transport that may add cookies or credentials to requests.
package protocol TransportWithAdditions: Transport {
  /// Returns the additions to a request.
  func additions(to request: TransportRequest) -> RequestAdditions
}

extension ProtocolClassTransport: TransportWithAdditions {
  package func additions(to request: TransportRequest) -> RequestAdditions {
    RequestAdditions(of: others, to: request)
  }
}
