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
    guard let context else { return AdmittedRequest(method: "", records: [], starts: []) }
    let endpoint = base.endpoint(target)
    let method = endpoint.task.isRepeatable ? endpoint.method : endpoint.method.sentOnce
    do {
      guard context.values(of: CancelledTask.self).isEmpty else { throw CancellationError() }
      for rule in context.values(of: (any RequestRule).self) {
        try rule.check(method, { origin(of: target, endpoint) })
      }
    } catch {
      refuse(error)
      return nil
    }
    let request = AdmittedRequest(
      method: method.rawValue, records: context.values(of: EffectRecord.self),
      starts: context.values(of: RelatedStart.self).map(\.start))
    return request.records.allSatisfy { $0.insert(request.method) } ? request : nil
  }
}

extension HTTPMethod {
  /// The name in records and for rules of a request whose body can be read only once.
  ///
  /// No set of methods contains it, so no operator repeats the request unless it provably was not sent.
  fileprivate var sentOnce: HTTPMethod { HTTPMethod(rawValue: rawValue + Self.onceSuffix) }

  /// Whether this is the name of a request whose body can be read only once.
  var isSentOnce: Bool { rawValue.hasSuffix(Self.onceSuffix) }

  private static let onceSuffix = " once"
}

/// The start of a copy or an attempt, in the context of its subscription.
struct RelatedStart: SubscriptionRule {
  let start: RelatedRequests.Start

  func ruleForSharedSource(isForeign: Bool) -> (any SubscriptionRule)? { self }
}

/// A request in the records of the operators downstream.
struct AdmittedRequest: Sendable {
  let method: String
  fileprivate let records: [EffectRecord]
  fileprivate let starts: [RelatedRequests.Start]

  /// Whether an attempt that the request belongs to has failed, although its disposal may not have arrived yet.
  var hasEnded: Bool { records.contains(where: \.isClosed) }

  /// Starts the request within `body`; observers learn which operator repeats it.
  func start<Result>(_ body: () -> Result) -> Result { RelatedRequests.run(starts, body) }

  /// Withdraws the request if its error proves that it was not sent, before the operators see the error.
  func end(_ error: NetworkError) {
    guard error.transferError?.isUnsent == true else { return }
    for record in records { record.withdraw(method) }
  }
}
