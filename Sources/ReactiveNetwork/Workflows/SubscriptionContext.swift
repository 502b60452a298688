import NetworkCore
import RxLite

/// The enclosing retry and page of a subscription that sends a request.
struct SubscriptionContext {
  private let method: HTTPMethod
  private let methods: SentHTTPMethods?
  private let page: FirstPageOrigins.Page?

  /// Registers a request that is about to be sent.
  ///
  /// Calls `refuse` and returns `nil` if the page of the request must not be requested.
  init?<Base: NetworkProviderType>(
    _ target: Base.Target, of base: Reactive<Base>, refuse: (PaginationError) -> Void
  ) {
    BlockingWaitPreparation.isInstalled
    do throws(PaginationError) {
      page = try FirstPageOrigins.check(base.origin(of: target))
    } catch {
      refuse(error)
      return nil
    }
    method = target.method
    methods = SentHTTPMethods.record(target.method)
  }

  /// Delivers an event of the request.
  func deliver(_ delivery: () -> Void) {
    FirstPageOrigins.deliver(to: page) { SentHTTPMethods.deliver(to: methods, delivery) }
  }

  /// Delivers the error of the request.
  func deliverFailure(_ delivery: () -> Void) {
    FirstPageOrigins.deliver(to: page) { SentHTTPMethods.deliver(failureOf: method, to: methods, delivery) }
  }
}
