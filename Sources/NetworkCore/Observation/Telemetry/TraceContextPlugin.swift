#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A plugin that sends the position in a distributed trace with each request.
///
/// It sets the fields `traceparent` and `tracestate`.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(
///   plugins: [TraceContextPlugin { _ in Tracer.current?.context }])
/// ```
///
/// A request that already has a `traceparent` keeps its fields. The closure is called again for each retry. A
/// redirect repeats the fields only to the same origin. A `TraceContext` is always valid; if the closure cannot
/// create one, it returns `nil`, and the request is sent without the fields.
public struct TraceContextPlugin: PluginType {
  private let context: @Sendable (any TargetType) -> TraceContext?

  /// Creates a plugin.
  ///
  /// - Parameter context: returns the position of the request, or `nil` to send none. It is called in
  ///   `prepare`, on the calling thread unless an earlier step is asynchronous.
  @preconcurrency public init(_ context: @escaping @Sendable (any TargetType) -> TraceContext?) {
    self.context = context
  }

  /// Adds the fields `traceparent` and `tracestate`.
  public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
    guard request.value(forHTTPHeaderField: "traceparent") == nil, let context = context(target) else {
      return request
    }
    var request = request
    request.setValue(context.traceparent, forHTTPHeaderField: "traceparent")
    request.setValue(
      context.state.members.isEmpty ? nil : context.state.text, forHTTPHeaderField: "tracestate")
    return request
  }
}
