public import Foundation

extension NetworkProvider {
  /// Makes the endpoint of a target from the target's properties.
  ///
  /// - Parameter target: the target.
  /// - Returns: the endpoint.
  @Sendable public static func defaultEndpointMapping(for target: Target) -> Endpoint {
    Endpoint(
      url: target.url, sampleResponseClosure: { target.sampleResponse }, method: target.method,
      task: target.task, httpHeaderFields: target.headers, target: target)
  }

  /// Makes the request of an endpoint, and passes the request or the error to a closure.
  ///
  /// `NetworkError.requestMapping`, `.parameterEncoding` and `.underlying` are passed unchanged; any other
  /// error is wrapped in `.underlying`.
  ///
  /// - Parameters:
  ///   - endpoint: the endpoint.
  ///   - closure: called with the request or the error, before this method returns.
  @Sendable public static func defaultRequestMapping(
    for endpoint: Endpoint, closure: @escaping RequestResultClosure
  ) {
    do {
      closure(.success(try endpoint.urlRequest()))
    } catch let error as NetworkError {
      switch error {
      case .requestMapping, .parameterEncoding, .underlying: closure(.failure(error))
      default: closure(.failure(.underlying(error, nil)))
      }
    } catch {
      closure(.failure(.underlying(error, nil)))
    }
  }

  /// Sends every request to the server.
  ///
  /// - Returns: `.never`.
  @Sendable public static func neverStub(_: Target) -> StubBehavior { .never }

  /// Stubs every request with its sample, at once.
  ///
  /// - Returns: `.immediate`.
  @Sendable public static func immediatelyStub(_: Target) -> StubBehavior { .immediate }

  /// Stubs every request with its sample, after a delay.
  ///
  /// - Parameter seconds: the delay.
  /// - Returns: a closure for `stubClosure`.
  public static func delayedStub(_ seconds: TimeInterval) -> StubClosure {
    { _ in .delayed(seconds: seconds) }
  }
}
