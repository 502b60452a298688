public import Foundation

extension NetworkProvider {
  /// The endpoint of a target: all that the target says.
  ///
  /// - Parameter target: what is asked for.
  /// - Returns: the endpoint.
  @Sendable public static func defaultEndpointMapping(for target: Target) -> Endpoint {
    Endpoint(
      url: target.url, sampleResponseClosure: { target.sampleResponse }, method: target.method,
      task: target.task, httpHeaderFields: target.headers, target: target)
  }

  /// The request of an endpoint, or why there is none.
  ///
  /// `NetworkError.requestMapping`, `.parameterEncoding` and `.underlying` are handed on, any other error is wrapped in
  /// `.underlying`.
  ///
  /// - Parameters:
  ///   - endpoint: what the request is built from.
  ///   - closure: gets the request, before this returns.
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

  /// Answers every request at once from its sample.
  ///
  /// - Returns: `.immediate`.
  @Sendable public static func immediatelyStub(_: Target) -> StubBehavior { .immediate }

  /// Answers every request from its sample after a while.
  ///
  /// - Parameter seconds: how long to wait.
  /// - Returns: a closure for `stubClosure`.
  public static func delayedStub(_ seconds: TimeInterval) -> StubClosure {
    { _ in .delayed(seconds: seconds) }
  }
}
