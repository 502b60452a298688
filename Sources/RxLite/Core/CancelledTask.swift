/// The rule of a subscription that an already cancelled task makes, which is disposed at once.
///
/// A source that would begin work for that subscription alone fails instead.
package struct CancelledTask: SubscriptionRule {
  package func ruleForSharedSource(isForeign: Bool) throws -> (any SubscriptionRule)? {
    throw CancellationError()
  }
}

extension ObservableType {
  /// The sequence with a ``CancelledTask`` in the context of its subscriptions, if the current task is
  /// cancelled.
  func inCurrentTask() -> Observable<Element> {
    guard Task.isCancelled else { return asObservable() }
    return withContext { SubscriptionContext(CancelledTask(), within: $0) }
  }
}
