/// Accepts a server only if all of several evaluators accept it.
///
/// It makes every check that any of the evaluators makes. A key is accepted only if every evaluator that
/// names keys names it; the same applies to anchor certificates. This may refuse a chain that Alamofire,
/// which passes the chain to one evaluator after the other, would accept; it never accepts one that Alamofire
/// would refuse.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
  private let evaluators: [any ServerTrustEvaluating]

  /// Creates an evaluator.
  ///
  /// - Parameter evaluators: the evaluators that must all accept; if empty, the default policy applies.
  public init(evaluators: [any ServerTrustEvaluating]) {
    self.evaluators = evaluators
  }

  /// Returns the intersection of the evaluators' policies.
  ///
  /// - Throws: `ServerTrustError.noCommonPolicy` if no certificate or key satisfies all of them; errors of
  ///   the evaluators.
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

  /// Returns the elements that both lists contain; `nil` stands for any element.
  private func common<Element: Hashable>(_ left: [Element]?, _ right: [Element]?) throws -> [Element]? {
    guard let left, let right else { return left ?? right }
    let both = left.filter(Set(right).contains)
    if both.isEmpty { throw ServerTrustError.noCommonPolicy }
    return both
  }
}
