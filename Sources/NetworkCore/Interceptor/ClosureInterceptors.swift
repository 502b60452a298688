#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A request adapter that is a closure.
open class Adapter: RequestInterceptor, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: the one property is a constant of a `Sendable` type.
  private let adaptHandler: AdaptHandler

  /// Makes an adapter.
  ///
  /// - Parameter adaptHandler: gives the request to go on with.
  @preconcurrency public init(_ adaptHandler: @escaping AdaptHandler) {
    self.adaptHandler = adaptHandler
  }

  /// Calls the closure.
  open func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adaptHandler(urlRequest, session, completion)
  }
}

/// A request retrier that is a closure.
open class Retrier: RequestInterceptor, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: the one property is a constant of a `Sendable` type.
  private let retryHandler: RetryHandler

  /// Makes a retrier.
  ///
  /// - Parameter retryHandler: decides whether a request is sent again.
  @preconcurrency public init(_ retryHandler: @escaping RetryHandler) {
    self.retryHandler = retryHandler
  }

  /// Calls the closure.
  open func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    retryHandler(request, session, error, completion)
  }
}

/// Gives the request to go on with.
public typealias AdaptHandler =
  @Sendable (URLRequest, Session, _ completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)
  -> Void
/// Decides whether a request that has failed is sent again.
public typealias RetryHandler =
  @Sendable (Request, Session, any Error, _ completion: @escaping @Sendable (RetryResult) -> Void) -> Void

extension RequestAdapter where Self == Adapter {
  /// An adapter that is a closure.
  ///
  /// - Parameter closure: gives the request to go on with.
  /// - Returns: the adapter.
  @preconcurrency public static func adapter(using closure: @escaping AdaptHandler) -> Adapter {
    Adapter(closure)
  }
}

extension RequestRetrier where Self == Retrier {
  /// A retrier that is a closure.
  ///
  /// - Parameter closure: decides whether a request is sent again.
  /// - Returns: the retrier.
  @preconcurrency public static func retrier(using closure: @escaping RetryHandler) -> Retrier {
    Retrier(closure)
  }
}

extension RequestInterceptor where Self == Interceptor {
  /// An interceptor of two closures.
  ///
  /// - Parameters:
  ///   - adapter: gives the request to go on with.
  ///   - retrier: decides whether a request is sent again.
  /// - Returns: the interceptor.
  @preconcurrency public static func interceptor(
    adapter: @escaping AdaptHandler, retrier: @escaping RetryHandler
  ) -> Interceptor {
    Interceptor(adapters: [Adapter(adapter)], retriers: [Retrier(retrier)])
  }

  /// An interceptor put together from others.
  ///
  /// - Parameters:
  ///   - adapters: what changes requests, in order.
  ///   - retriers: what decides about retries, in order.
  ///   - interceptors: what does both, after the others.
  /// - Returns: the interceptor.
  public static func interceptor(
    adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
    interceptors: [any RequestInterceptor] = []
  ) -> Interceptor {
    Interceptor(adapters: adapters, retriers: retriers, interceptors: interceptors)
  }
}
