public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// What a stubbed request is answered with.
public enum EndpointSampleResponse: Sendable {
  /// A status code and a body.
  case networkResponse(Int, Data)
  /// A whole head and a body.
  case response(HTTPURLResponse, Data)
  /// No answer at all; the request fails with `NetworkError.underlying`.
  case networkError(NSError)
}
