#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends the position in a distributed trace with each request (`traceparent` and `tracestate`).
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(
///   plugins: [TraceContextPlugin { _ in Tracer.current?.context }])
/// ```
///
/// A request that has a `traceparent` of its own keeps its fields. Each attempt of a retried request asks the
/// closure again, and a redirect repeats the fields, also to another host. A `TraceContext` is always valid; a
/// closure that fails to make one returns `nil`, and the request is sent without the fields.
public struct TraceContextPlugin: PluginType {
  private let context: @Sendable (any TargetType) -> TraceContext?

  /// Creates a plugin.
  ///
  /// - Parameter context: returns the position of the request, or `nil` to send none; called where `prepare` is,
  ///   which is the calling thread if nothing before it is asynchronous.
  @preconcurrency public init(_ context: @escaping @Sendable (any TargetType) -> TraceContext?) {
    self.context = context
  }

  /// Adds the fields.
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
