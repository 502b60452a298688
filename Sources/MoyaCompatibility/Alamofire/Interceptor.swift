#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// An interceptor composed of adapters, retriers and other interceptors.
open class Interceptor: RequestInterceptor, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: both properties are constants of `Sendable` types.

  /// The adapters, in the order of their calls.
  public let adapters: [any RequestAdapter]
  /// The retriers, in the order of their calls.
  public let retriers: [any RequestRetrier]

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - adapters: the adapters, in the order of their calls.
  ///   - retriers: the retriers, in the order of their calls. A `RetryPolicy` with a budget belongs among the
  ///     `interceptors`, because each request deposits when it is adapted.
  ///   - interceptors: interceptors that adapt after the adapters and decide after the retriers.
  public init(
    adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
    interceptors: [any RequestInterceptor] = []
  ) {
    self.adapters = adapters + interceptors
    self.retriers = retriers + interceptors
  }

  /// Passes the request through the adapters in order; the first failure ends the request.
  open func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, with: adapters[...], by: { $0.adapt($1, for: session, completion: $2) }, completion)
  }

  /// Passes the request through the adapters in order; the first failure ends the request.
  open func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, with: adapters[...], by: { $0.adapt($1, using: state, completion: $2) }, completion)
  }

  /// Calls the retriers in order until one decides something other than `.doNotRetry`.
  open func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    retry(request, with: retriers[...], for: session, dueTo: error, completion: completion)
  }

  private typealias Adapted = @Sendable (Result<URLRequest, any Error>) -> Void

  private func adapt(
    _ urlRequest: URLRequest, with adapters: ArraySlice<any RequestAdapter>,
    by ask: @escaping @Sendable (any RequestAdapter, URLRequest, @escaping Adapted) -> Void,
    _ completion: @escaping Adapted
  ) {
    guard let adapter = adapters.first else { return completion(.success(urlRequest)) }
    let uncalled = UncalledCompletionError(owner: "adapter")
    let reply = FallbackCompletion<Result<URLRequest, any Error>>(orElse: .failure(uncalled)) { result in
      switch result {
      case .success(let adapted): self.adapt(adapted, with: adapters.dropFirst(), by: ask, completion)
      case .failure: completion(result)
      }
    }
    ask(adapter, urlRequest) { reply($0) }
  }

  private func retry(
    _ request: Request, with retriers: ArraySlice<any RequestRetrier>, for session: Session,
    dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard let retrier = retriers.first else { return completion(.doNotRetry) }
    let reply = FallbackCompletion(orElse: RetryResult.doNotRetry) { decision in
      // A cancellation releases the completion of a retrier that waits, and no other one is to be asked.
      guard case .doNotRetry = decision, !request.isCancelled else { return completion(decision) }
      self.retry(request, with: retriers.dropFirst(), for: session, dueTo: error, completion: completion)
    }
    retrier.retry(request, for: session, dueTo: error) { reply($0) }
  }
}
