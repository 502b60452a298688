/// A value that a subscription carries to everything upstream of it, and the values of enclosing operators.
///
/// An operator that needs to know what happens upstream adds a value to the context of its observer. Operators
/// make the observers of their sources, inner ones included, from the observer downstream, so the context
/// arrives at the source whichever threads the events take. A sequence that user code subscribes to itself has
/// no context, and neither has the source of a shared sequence, because it serves several subscriptions.
@usableFromInline package final class SubscriptionContext: Sendable {
  private let value: any Sendable
  private let outer: SubscriptionContext?

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - value: the value of the operator.
  ///   - outer: the context of the operator's own observer.
  package init(_ value: any Sendable, within outer: SubscriptionContext?) {
    self.value = value
    self.outer = outer
  }

  /// Returns the values of one type, beginning with that of the innermost operator.
  package func values<Value>(of type: Value.Type) -> [Value] {
    sequence(first: self, next: \.outer).compactMap { $0.value as? Value }
  }
}

extension ObservableType {
  /// Subscribes with another context.
  ///
  /// - Parameter makeContext: returns the context of a subscription from that of its observer.
  /// - Returns: the sequence.
  package func withContext(
    _ makeContext: @escaping (SubscriptionContext?) -> SubscriptionContext
  ) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      source(AnyObserver(handler: observer.handler, context: makeContext(observer.context)))
    }
  }
}
