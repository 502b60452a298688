/// What a request gets below a cache, which does not see it in the request's fields.
package struct RequestAdditions: Sendable, Hashable {
  /// Whether it may get cookies.
  package var cookies: Bool
  /// Whether it may get a credential.
  package var credential: Bool

  /// Says what it gets; nothing unless given.
  package init(cookies: Bool = false, credential: Bool = false) {
    self.cookies = cookies
    self.credential = credential
  }

  /// Says what a transport adds to a request, as far as it is one of this library.
  init(of transport: any Transport, to request: TransportRequest) {
    self = (transport as? any AddingTransport)?.additions(to: request) ?? RequestAdditions()
  }
}

/// A transport that may add something to requests by which a server knows who asks.
protocol AddingTransport: Transport {
  /// What it adds to a request.
  func additions(to request: TransportRequest) -> RequestAdditions
}

extension Session: AddingTransport {
  func additions(to request: TransportRequest) -> RequestAdditions {
    RequestAdditions(of: transport, to: request)
  }
}

extension ProtocolClassTransport: AddingTransport {
  func additions(to request: TransportRequest) -> RequestAdditions {
    RequestAdditions(of: others, to: request)
  }
}
