/// Accepts a server that several evaluators would accept.
///
/// What any of them checks is checked; of the keys, and of the certificates that a chain may lead to, those count that all
/// of them name. That may refuse a chain that Alamofire, which shows the chain to one evaluator after the other, would
/// accept, and never the other way round.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
  private let evaluators: [any ServerTrustEvaluating]

  /// Makes an evaluator.
  ///
  /// - Parameter evaluators: what must be satisfied; without any, the default policy.
  public init(evaluators: [any ServerTrustEvaluating]) {
    self.evaluators = evaluators
  }

  /// What all the evaluators' policies have in common.
  ///
  /// - Throws: `ServerTrustError.noCommonPolicy` where no certificate or key would do for all; what an evaluator throws.
  public func policy(forHost host: String) throws -> ServerTrustPolicy {
    guard let first = evaluators.first else { return ServerTrustPolicy() }
    return try evaluators.dropFirst().reduce(first.policy(forHost: host)) { policy, evaluator in
      let other = try evaluator.policy(forHost: host)
      var both = policy
      both.checksChain = policy.checksChain || other.checksChain
      both.checksHost = policy.checksHost || other.checksHost
      both.requiresStatus = policy.requiresStatus || other.requiresStatus
      both.anchors = try common(policy.anchors, other.anchors)
      both.publicKeys = try common(policy.publicKeys, other.publicKeys)
      return both
    }
  }

  /// Those of both; `nil` stands for any.
  private func common<Element: Hashable>(_ left: [Element]?, _ right: [Element]?) throws -> [Element]? {
    guard let left, let right else { return left ?? right }
    let both = left.filter(Set(right).contains)
    if both.isEmpty { throw ServerTrustError.noCommonPolicy }
    return both
  }
}
