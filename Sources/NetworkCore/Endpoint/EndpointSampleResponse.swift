public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The response of a stubbed request.
public enum EndpointSampleResponse: Sendable {
  /// A status code and a body.
  case networkResponse(Int, Data)
  /// A complete head and a body.
  case response(HTTPURLResponse, Data)
  /// No response; the request fails with `NetworkError.underlying`.
  case networkError(NSError)
  /// The response to the handshake of a WebSocket, and what follows; the response to any other request is 426.
  case webSocket(WebSocketScript)
}
