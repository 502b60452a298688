#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A type that encodes an `Encodable` value into a request.
///
/// Use `JSONParameterEncoder` or `URLEncodedFormParameterEncoder`, or write your own.
@preconcurrency public protocol ParameterEncoder: Sendable {
  /// Returns a copy of the request with a value.
  ///
  /// - Parameters:
  ///   - parameters: the value; `nil` returns the request unchanged.
  ///   - request: the request to copy.
  /// - Returns: the request with the value.
  /// - Throws: the reason why the value cannot be encoded. `Endpoint.urlRequest()` then throws
  ///   `NetworkError.encodableMapping`, and the request fails with `.underlying`, which contains that error.
  func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
}

extension URLRequest {
  /// Sets `Content-Type` unless the request has one.
  mutating func setDefaultContentType(_ type: String) {
    if value(forHTTPHeaderField: "Content-Type") == nil { setField("Content-Type", to: type) }
  }
}
