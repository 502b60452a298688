#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A plugin that prepares requests asynchronously, for instance to fetch a token.
///
/// ```swift
/// struct TokenPlugin: AsyncPluginType {
///   let store: TokenStore
///
///   func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest {
///     var request = request
///     request.setValue("Bearer \(try await store.token())", forHTTPHeaderField: "Authorization")
///     return request
///   }
/// }
/// ```
///
/// Foundation's `setValue(_:forHTTPHeaderField:)` drops a value with a line break, such as a token read from
/// a file. Trim the value first, or assign to `request.headers`: the transport then refuses such a value.
public protocol AsyncPluginType: PluginType {
  /// Returns the request to send.
  ///
  /// The provider calls this function instead of the synchronous `prepare`, in the plugin's place in the
  /// order. It runs in a task that is cancelled when the request is cancelled. Later hooks run on the thread
  /// on which the task ends.
  ///
  /// - Parameters:
  ///   - request: the request that the endpoint or the previous plugin returned.
  ///   - target: the requested target.
  /// - Returns: the request for the next plugin or the transport.
  /// - Throws: the error that the request fails with, wrapped in `NetworkError.underlying` unless it is a
  ///   `NetworkError`. The request is then not sent.
  func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest
}
