#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A request adapter made from a closure.
open class Adapter: RequestInterceptor, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: the one property is a constant of a `Sendable`
  // type.
  private let adaptHandler: AdaptHandler

  /// Creates an adapter.
  ///
  /// - Parameter adaptHandler: passes the adapted request to its completion.
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

/// A request retrier made from a closure.
open class Retrier: RequestInterceptor, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: the one property is a constant of a `Sendable`
  // type.
  private let retryHandler: RetryHandler

  /// Creates a retrier.
  ///
  /// - Parameter retryHandler: decides whether a failed request is retried.
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

/// Passes the adapted request to its completion.
public typealias AdaptHandler =
  @Sendable (URLRequest, Session, _ completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)
  -> Void
/// Decides whether a failed request is retried.
public typealias RetryHandler =
  @Sendable (Request, Session, any Error, _ completion: @escaping @Sendable (RetryResult) -> Void) -> Void

extension RequestAdapter where Self == Adapter {
  /// Creates an adapter from a closure.
  ///
  /// - Parameter closure: passes the adapted request to its completion.
  /// - Returns: the adapter.
  @preconcurrency public static func adapter(using closure: @escaping AdaptHandler) -> Adapter {
    Adapter(closure)
  }
}

extension RequestRetrier where Self == Retrier {
  /// Creates a retrier from a closure.
  ///
  /// - Parameter closure: decides whether a failed request is retried.
  /// - Returns: the retrier.
  @preconcurrency public static func retrier(using closure: @escaping RetryHandler) -> Retrier {
    Retrier(closure)
  }
}

extension RequestInterceptor where Self == Interceptor {
  /// Creates an interceptor from two closures.
  ///
  /// - Parameters:
  ///   - adapter: passes the adapted request to its completion.
  ///   - retrier: decides whether a failed request is retried.
  /// - Returns: the interceptor.
  @preconcurrency public static func interceptor(
    adapter: @escaping AdaptHandler, retrier: @escaping RetryHandler
  ) -> Interceptor {
    Interceptor(adapters: [Adapter(adapter)], retriers: [Retrier(retrier)])
  }

  /// Creates an interceptor from adapters, retriers and other interceptors.
  ///
  /// - Parameters:
  ///   - adapters: the adapters, in the order of their calls.
  ///   - retriers: the retriers, in the order of their calls.
  ///   - interceptors: interceptors that adapt after the adapters and decide after the retriers.
  /// - Returns: the interceptor.
  public static func interceptor(
    adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
    interceptors: [any RequestInterceptor] = []
  ) -> Interceptor {
    Interceptor(adapters: adapters, retriers: retriers, interceptors: interceptors)
  }
}
