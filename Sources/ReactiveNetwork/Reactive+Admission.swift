import NetworkCore
import RxLite

extension Reactive where Base: NetworkProviderType {
  /// Registers a request that is about to be sent with the operators downstream: checks it against the rule
  /// of its page, and records it for retries and hedges.
  ///
  /// A task that is already cancelled sends no request.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - context: the context of the subscription that sends the request.
  ///   - refuse: receives the error if the request breaks the rule of its page.
  /// - Returns: `false` if the request must not be sent.
  func admit(
    _ target: Base.Target, in context: SubscriptionContext?, refuse: (PaginationError) -> Void
  ) -> Bool {
    BlockingWaitPreparation.isInstalled
    guard let context else { return true }
    guard context.values(of: CancelledTask.self).isEmpty else { return false }
    do throws(PaginationError) {
      let pages = context.values(of: FirstPageOrigins.Page.self)
      for page in pages { try page.check(origin(of: target)) }
    } catch {
      refuse(error)
      return false
    }
    return context.values(of: SentRequests.self).allSatisfy { $0.add(target.method) }
  }
}
