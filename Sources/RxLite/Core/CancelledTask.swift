/// The value in the context of a subscription that a cancelled task makes, which is disposed at once.
///
/// A source that begins work only for that subscription does not begin it.
package struct CancelledTask: Sendable {}

extension ObservableType {
  /// The sequence with a ``CancelledTask`` in the context of its subscriptions, if the current task is cancelled.
  func inCurrentTask() -> Observable<Element> {
    guard Task.isCancelled else { return asObservable() }
    return withContext { SubscriptionContext(CancelledTask(), within: $0) }
  }
}
