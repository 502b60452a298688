#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A way of putting an `Encodable` value into a request: `JSONParameterEncoder`, `URLEncodedFormParameterEncoder`, or
/// one of your own.
public protocol ParameterEncoder: Sendable {
  /// Puts a value into a copy of the request.
  ///
  /// - Parameters:
  ///   - parameters: what to put into it; `nil` leaves the request as it is.
  ///   - request: the request to start from.
  /// - Returns: the request with the value.
  /// - Throws: what keeps the value from being encoded; a request then fails with `NetworkError.encodableMapping`.
  func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
}

extension URLRequest {
  /// Sets `Content-Type` unless the request has one.
  mutating func setDefaultContentType(_ type: String) {
    if value(forHTTPHeaderField: "Content-Type") == nil { setField("Content-Type", to: type) }
  }
}
