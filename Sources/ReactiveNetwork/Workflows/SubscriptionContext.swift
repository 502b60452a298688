import NetworkCore
import RxLite

/// The enclosing retry and page of a subscription that sends a request.
struct SubscriptionContext {
  private let method: HTTPMethod
  private let methods: SentMethods?
  private let page: PageOrigins.Page?

  /// Registers a request that is about to be sent.
  ///
  /// Calls `refuse` and returns `nil` if the page of the request must not be requested.
  init?<Base: NetworkProviderType>(
    _ target: Base.Target, of base: Reactive<Base>, refuse: (PaginationError) -> Void
  ) {
    BlockingWaitPreparation.isInstalled
    do throws(PaginationError) {
      page = try PageOrigins.check(base.origin(of: target))
    } catch {
      refuse(error)
      return nil
    }
    method = target.method
    methods = SentMethods.record(target.method)
  }

  /// Delivers an event of the request.
  func deliver(_ delivery: () -> Void) {
    PageOrigins.deliver(to: page) { SentMethods.deliver(to: methods, delivery) }
  }

  /// Delivers the error of the request.
  func deliverFailure(_ delivery: () -> Void) {
    PageOrigins.deliver(to: page) { SentMethods.deliver(failureOf: method, to: methods, delivery) }
  }
}
