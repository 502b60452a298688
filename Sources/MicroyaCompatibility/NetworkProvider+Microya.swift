public import Foundation

extension NetworkProvider where Target: Microya.Endpoint {
  /// Makes a provider with Microya's parameters.
  ///
  /// - Parameters:
  ///   - baseUrl: the server's URL, which replaces that of the endpoints; `nil` to use theirs.
  ///   - plugins: the plugins that see requests and responses, in this order: Microya's or any others.
  ///   - mockingBehavior: the mocked responses and their delay; `nil` to send requests to the server.
  public convenience init(
    baseUrl: URL?, plugins: [any PluginType] = [], mockingBehavior: MockingBehavior<Target>? = nil
  ) {
    let endpoint = { @Sendable (target: Target) in
      guard let baseUrl else { return Self.defaultEndpointMapping(for: target) }
      return Endpoint(
        url: target.url(under: baseUrl), sampleResponseClosure: { target.sampleResponse },
        method: (target as any TargetType).method, task: target.task,
        httpHeaderFields: (target as any TargetType).headers, target: target)
    }
    guard let mockingBehavior else {
      self.init(endpointClosure: endpoint, plugins: plugins)
      return
    }
    self.init(endpointClosure: endpoint, mockingBehavior: mockingBehavior, plugins: plugins)
  }
}
