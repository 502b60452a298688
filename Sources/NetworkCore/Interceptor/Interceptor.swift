#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// An interceptor put together from adapters, retriers and other interceptors.
open class Interceptor: RequestInterceptor, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: both properties are constants of `Sendable` types.

  /// What changes requests, in order.
  public let adapters: [any RequestAdapter]
  /// What decides about retries, in order.
  public let retriers: [any RequestRetrier]

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - adapters: what changes requests, in order.
  ///   - retriers: what decides about retries, in order.
  ///   - interceptors: what does both, after the others.
  public init(
    adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
    interceptors: [any RequestInterceptor] = []
  ) {
    self.adapters = adapters + interceptors
    self.retriers = retriers + interceptors
  }

  /// Lets the adapters change the request one after the other; the first failure ends it.
  open func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, with: adapters[...], by: { $0.adapt($1, for: session, completion: $2) }, completion)
  }

  /// Lets the adapters change the request one after the other; the first failure ends it.
  open func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, with: adapters[...], by: { $0.adapt($1, using: state, completion: $2) }, completion)
  }

  /// Asks the retriers one after the other until one decides other than `.doNotRetry`.
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
    ask(adapter, urlRequest) { result in
      switch result {
      case .success(let adapted): self.adapt(adapted, with: adapters.dropFirst(), by: ask, completion)
      case .failure: completion(result)
      }
    }
  }

  private func retry(
    _ request: Request, with retriers: ArraySlice<any RequestRetrier>, for session: Session,
    dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard let retrier = retriers.first else { return completion(.doNotRetry) }
    retrier.retry(request, for: session, dueTo: error) { decision in
      guard case .doNotRetry = decision else { return completion(decision) }
      self.retry(request, with: retriers.dropFirst(), for: session, dueTo: error, completion: completion)
    }
  }
}
