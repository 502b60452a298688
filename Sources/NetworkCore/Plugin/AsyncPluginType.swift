#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A plugin that needs time to prepare a request, for instance to fetch a token.
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
/// Foundation's `setValue(_:forHTTPHeaderField:)` drops a value with a line break, such as a token read from a file: trim it first, or
/// assign to `request.headers`, which has the transport refuse such a value.
public protocol AsyncPluginType: PluginType {
  /// Gives the request to send; called instead of the `prepare` that answers at once, in the plugin's place in the order.
  ///
  /// It runs in a task that is cancelled when the request is. Later hooks run on whatever thread it ends on.
  ///
  /// - Parameters:
  ///   - request: the request as the endpoint or the plugin before made it.
  ///   - target: what is asked for.
  /// - Returns: the request to go on with.
  /// - Throws: what the request fails with, wrapped in `NetworkError.underlying` unless it is a `NetworkError`; it is
  ///   not sent then.
  func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest
}
