public import Foundation

extension NetworkProvider where Target: Microya.Endpoint {
  /// Makes a provider in Microya's words.
  ///
  /// - Parameters:
  ///   - baseUrl: the server's URL, in place of what the endpoints say; `nil` for theirs.
  ///   - plugins: what looks at requests and answers, in this order.
  ///   - mockingBehavior: when and with what requests are answered without a server; `nil` to ask the server.
  public convenience init(
    baseUrl: URL?, plugins: [Microya.Plugin<Target>] = [], mockingBehavior: MockingBehavior<Target>? = nil
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

extension MockingBehavior {
  /// Makes a behaviour in Microya's words.
  ///
  /// - Parameters:
  ///   - delay: the time after which a request is answered; `.zero` for at once.
  ///   - scheduler: whose time that is.
  ///   - mockedResponseProvider: gives the answer for a target; the target's own `mockedResponse` unless given.
  public init(
    delay: Duration, scheduler: any DelayScheduler = DispatchDelayScheduler(),
    mockedResponseProvider: @escaping @Sendable (Target) -> MockedResponse? = { $0.mockedResponse }
  ) {
    self.init(
      delay: delay / .seconds(1), scheduler: scheduler, mockedResponseProvider: mockedResponseProvider)
  }
}

extension ManualDelayScheduler {
  /// Lets time pass; see `advance(by:)`.
  ///
  /// - Parameter duration: how much time.
  public func advance(by duration: Duration) {
    advance(by: duration / .seconds(1))
  }
}
