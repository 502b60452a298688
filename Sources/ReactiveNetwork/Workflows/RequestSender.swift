import NetworkCore
import RxLite

/// What is known of the subscription that sends a request: the retry and the page around it.
struct RequestSender {
  private let method: HTTPMethod
  private let methods: SentMethods?
  private let page: PageOrigins.Page?

  /// Notes a request that is about to be sent; `nil` if its page must not be requested, after a call of `refuse`.
  init?<Base: NetworkProviderType>(
    _ target: Base.Target, of base: Reactive<Base>, refuse: (PaginationError) -> Void
  ) {
    CallbackWaits.arePrepared
    do throws(PaginationError) {
      page = try PageOrigins.check(base.origin(of: target))
    } catch {
      refuse(error)
      return nil
    }
    method = target.method
    methods = SentMethods.note(target.method)
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
