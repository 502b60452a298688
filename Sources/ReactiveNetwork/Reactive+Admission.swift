import NetworkCore
import RxLite

extension Reactive where Base: NetworkProviderType {
  /// Registers a request that is about to be sent with the operators downstream: checks it against their
  /// rules, and records its method for retries and hedges.
  ///
  /// Origin and method are those of the endpoint, which the provider makes from the target.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - context: the context of the subscription that sends the request.
  ///   - refuse: receives the error if the request breaks a rule.
  /// - Returns: `false` if the request must not be sent.
  func admit(
    _ target: Base.Target, in context: SubscriptionContext?, refuse: (any Error) -> Void
  ) -> Bool {
    BlockingWaitPreparation.isInstalled
    guard let context else { return true }
    let endpoint = base.endpoint(target)
    do {
      guard context.values(of: CancelledTask.self).isEmpty else { throw CancellationError() }
      for rule in context.values(of: (any RequestRule).self) {
        try rule.check(endpoint.method, { origin(of: target, endpoint) })
      }
    } catch {
      refuse(error)
      return false
    }
    return context.values(of: EffectRecord.self).allSatisfy { $0.insert(endpoint.method.rawValue) }
  }
}
