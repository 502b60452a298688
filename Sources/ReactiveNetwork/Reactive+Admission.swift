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
  /// - Returns: the record of the request; `nil` if it must not be sent.
  func admit(
    _ target: Base.Target, in context: SubscriptionContext?, refuse: (any Error) -> Void
  ) -> AdmittedRequest? {
    BlockingWaitPreparation.isInstalled
    guard let context else { return AdmittedRequest(method: "", records: []) }
    let endpoint = base.endpoint(target)
    do {
      guard context.values(of: CancelledTask.self).isEmpty else { throw CancellationError() }
      for rule in context.values(of: (any RequestRule).self) {
        try rule.check(endpoint.method, { origin(of: target, endpoint) })
      }
    } catch {
      refuse(error)
      return nil
    }
    let request = AdmittedRequest(
      method: endpoint.method.rawValue, records: context.values(of: EffectRecord.self))
    return request.records.allSatisfy { $0.insert(request.method) } ? request : nil
  }
}

/// A request in the records of the operators downstream.
struct AdmittedRequest: Sendable {
  let method: String
  fileprivate let records: [EffectRecord]

  fileprivate init(method: String, records: [EffectRecord]) {
    (self.method, self.records) = (method, records)
  }

  /// Withdraws the request if its error proves that it was not sent, before the operators see the error.
  func end(_ error: NetworkError) {
    guard error.transferError?.isUnsent == true else { return }
    for record in records { record.withdraw(method) }
  }
}
