public import Foundation
internal import ReactiveNetworkLock

/// The responses of a provider without a server, and their delay.
///
/// ```swift
/// let time = ManualDelayScheduler()
/// let provider = NetworkProvider<Shop>(mockingBehavior: .init(delay: .milliseconds(500), scheduler: time))
/// ```
public struct MockingBehavior<Target: APITargetType>: Sendable {
  /// The delay of a response; `.zero` for no delay.
  public let delay: Duration
  /// The scheduler of the delay.
  public let scheduler: any DelayScheduler
  /// Returns the response for a target; if it is `nil`, the request fails with `MissingMockError`.
  public let mockedResponseProvider: @Sendable (Target) -> MockedResponse?

  /// Makes a behavior.
  ///
  /// - Parameters:
  ///   - delay: the delay of a response; `.zero` for no delay.
  ///   - scheduler: the scheduler of the delay.
  ///   - mockedResponseProvider: returns the response for a target; the target's own `mockedResponse` by
  ///     default.
  public init(
    delay: Duration = .zero, scheduler: any DelayScheduler = DispatchDelayScheduler(),
    mockedResponseProvider: @escaping @Sendable (Target) -> MockedResponse? = { $0.mockedResponse }
  ) {
    self.delay = delay
    self.scheduler = scheduler
    self.mockedResponseProvider = mockedResponseProvider
  }

  fileprivate func sample(for target: Target, at url: URL) -> EndpointSampleResponse {
    mockedResponseProvider(target)?.sample(for: url)
      ?? .networkError(MissingMockError(target: "\(target)").inNSError)
  }
}

/// The error of a request whose target has no mocked response.
public struct MissingMockError: Error, Sendable, Hashable, LocalizedError {
  /// The target.
  public let target: String

  /// A one-line description that names the target without its strings, which may be secret.
  public var errorDescription: String? { "There is no mocked response for \(shownTarget)." }

  private var shownTarget: String {
    var shown = ""
    var isInString = false
    var isEscaped = false
    for scalar in target.unicodeScalars {
      switch (isInString, scalar) {
      // Swift's description of a string writes a quotation mark in it as `\"`, which does not end it.
      case (true, _) where isEscaped: isEscaped = false
      case (true, "\\"): isEscaped = true
      case (true, "\""): isInString = false
      case (true, _): break
      case (false, "\""):
        isInString = true
        shown += Redactor.mask
      case (false, _): shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}

extension MissingMockError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    RedactableDescription("MissingMockError", ("target", .text(shownTarget)))
  }
}

extension MissingMockError {
  /// An `NSError` that contains the error, because on Linux a cast to `NSError` loses its type.
  fileprivate var inNSError: NSError {
    let bridged = self as NSError
    return NSError(
      domain: bridged.domain, code: bridged.code,
      userInfo: bridged.userInfo.merging([NSUnderlyingErrorKey: self as Any]) { $1 })
  }
}

extension NSError {
  /// The error of a missing mock that the error contains; `nil` if it contains none.
  var missingMock: (any Error)? { userInfo[NSUnderlyingErrorKey] as? MissingMockError }
}

extension NetworkProvider where Target: APITargetType {
  /// Makes a provider that responds to every request without a server.
  ///
  /// - Parameters:
  ///   - mockingBehavior: the delay and the responses.
  ///   - callbackQueue: the queue of the callbacks; `nil` for the thread of the call or of the delay.
  ///   - plugins: the plugins that see requests and responses, in this order.
  ///   - interceptors: the interceptors that change requests before the plugins do, and decide about retries,
  ///     in this order.
  public convenience init(
    mockingBehavior: MockingBehavior<Target>, callbackQueue: DispatchQueue? = nil,
    plugins: [any PluginType] = [], interceptors: [any RequestInterceptor] = []
  ) {
    self.init(
      endpointClosure: { Self.defaultEndpointMapping(for: $0) }, mockingBehavior: mockingBehavior,
      callbackQueue: callbackQueue, plugins: plugins, interceptors: interceptors)
  }

  /// Makes a provider that responds to every request without a server, with custom endpoints.
  package convenience init(
    endpointClosure: @escaping EndpointClosure, mockingBehavior: MockingBehavior<Target>,
    callbackQueue: DispatchQueue? = nil, plugins: [any PluginType],
    interceptors: [any RequestInterceptor] = []
  ) {
    self.init(
      endpointClosure: { target in
        let endpoint = endpointClosure(target)
        return endpoint.sampling {
          let url = endpoint.parsedURL ?? URL(string: endpoint.url) ?? target.url
          return mockingBehavior.sample(for: target, at: url)
        }
      },
      stubClosure: { _ in
        mockingBehavior.delay > .zero ? .delayed(seconds: mockingBehavior.delay.inSeconds) : .immediate
      },
      callbackQueue: callbackQueue, plugins: plugins, interceptors: interceptors,
      scheduler: mockingBehavior.scheduler)
  }
}
