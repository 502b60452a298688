#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A request that is about to be sent, as plugins see it in `willSend`.
public protocol RequestType: Sendable {
  /// The request after every plugin's `prepare`.
  var request: URLRequest? { get }
  /// The header fields that the transport adds where the request does not set them.
  var sessionHeaders: [String: String] { get }
}

struct PreparedRequest: RequestType {
  let request: URLRequest?
  let sessionHeaders: [String: String]
}
