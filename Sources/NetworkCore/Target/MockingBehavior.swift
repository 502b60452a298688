public import Foundation

/// How a provider answers requests without a server: when, and with what.
///
/// ```swift
/// let time = ManualDelayScheduler()
/// let provider = NetworkProvider<Shop>(mockingBehavior: .init(delay: 0.5, scheduler: time))
/// ```
public struct MockingBehavior<Target: APITargetType>: Sendable {
  /// The seconds after which a request is answered; 0 for at once.
  public let delay: TimeInterval
  /// Whose time that is.
  public let scheduler: any DelayScheduler
  /// Gives the answer for a target; a request without one fails with `MissingMockError`.
  public let mockedResponseProvider: @Sendable (Target) -> MockedResponse?

  /// Makes a behaviour.
  ///
  /// - Parameters:
  ///   - delay: the seconds after which a request is answered; 0 for at once.
  ///   - scheduler: whose time that is.
  ///   - mockedResponseProvider: gives the answer for a target; the target's own `mockedResponse` unless given.
  public init(
    delay: TimeInterval = 0, scheduler: any DelayScheduler = DispatchDelayScheduler(),
    mockedResponseProvider: @escaping @Sendable (Target) -> MockedResponse? = { $0.mockedResponse }
  ) {
    self.delay = delay
    self.scheduler = scheduler
    self.mockedResponseProvider = mockedResponseProvider
  }

  fileprivate func sample(for target: Target) -> EndpointSampleResponse {
    mockedResponseProvider(target)?.sample(for: target.url)
      ?? .networkError(MissingMockError(target: "\(target)") as NSError)
  }
}

/// A target has no mocked response.
public struct MissingMockError: Error, Sendable, Hashable, LocalizedError {
  /// The target.
  public let target: String

  /// What is missing, in one line; the target without its texts, which may be secret.
  public var errorDescription: String? { "There is no mocked response for \(shownTarget)." }

  private var shownTarget: String {
    target.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .map { index, part in index.isMultiple(of: 2) ? String(part) : Secrets.mask }.joined()
  }
}

extension MissingMockError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: SafeText { SafeText("MissingMockError", ("target", .text(shownTarget))) }
}

extension NetworkProvider where Target: APITargetType {
  /// Makes a provider that answers every request without a server.
  ///
  /// - Parameters:
  ///   - mockingBehavior: when it answers, and with what.
  ///   - callbackQueue: where callbacks run; `nil` for the thread of the call or of the delay.
  ///   - plugins: what looks at requests and answers, in this order.
  ///   - interceptors: what changes requests before the plugins do, and decides about retries, in this order.
  public convenience init(
    mockingBehavior: MockingBehavior<Target>, callbackQueue: DispatchQueue? = nil,
    plugins: [any PluginType] = [], interceptors: [any RequestInterceptor] = []
  ) {
    self.init(
      endpointClosure: { Self.defaultEndpointMapping(for: $0) }, mockingBehavior: mockingBehavior,
      callbackQueue: callbackQueue, plugins: plugins, interceptors: interceptors)
  }

  /// Makes a provider that answers every request without a server, with endpoints of one's own.
  convenience init(
    endpointClosure: @escaping EndpointClosure, mockingBehavior: MockingBehavior<Target>,
    callbackQueue: DispatchQueue? = nil, plugins: [any PluginType],
    interceptors: [any RequestInterceptor] = []
  ) {
    self.init(
      endpointClosure: { target in
        endpointClosure(target).sampling { mockingBehavior.sample(for: target) }
      },
      stubClosure: { _ in
        mockingBehavior.delay > 0 ? .delayed(seconds: mockingBehavior.delay) : .immediate
      },
      callbackQueue: callbackQueue, plugins: plugins, interceptors: interceptors,
      scheduler: mockingBehavior.scheduler)
  }
}
