/// A value that a subscription carries to everything upstream of it, and the values of enclosing operators.
///
/// An operator that needs to know what happens upstream adds a value to the context of its observer. Operators
/// make the observers of their sources, inner ones included, from the observer downstream, so the context
/// arrives at the source whichever threads the events take. A sequence that user code subscribes to itself has
/// no context. The source of a shared sequence serves several subscriptions, so it has a context of its own;
/// see `init(ofSharedSource:startedBy:)`.
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

/// A value of a context that restricts what the subscription may do.
///
/// It also applies to the source of a shared sequence that the subscription starts. Otherwise, sharing a
/// sequence would lift the restriction.
package protocol SubscriptionRule: Sendable {}

extension SubscriptionContext {
  /// Creates the context of the source of a shared sequence.
  ///
  /// - Parameters:
  ///   - effects: records the effects of the source, for all subscribers.
  ///   - starter: the context of the subscriber that starts the source, whose rules apply; `nil` if there is
  ///     none.
  @usableFromInline convenience init(
    ofSharedSource effects: EffectRecord, startedBy starter: SubscriptionContext?
  ) {
    let rules = starter?.values(of: (any SubscriptionRule).self).reversed() ?? []
    self.init(effects, within: rules.reduce(nil) { SubscriptionContext($1, within: $0) })
  }
}

extension AnyObserver {
  /// Creates the observer of a shared sequence, which records the effects of the source if it fails.
  ///
  /// It ignores the effects of a source that does not fail, because a retry of what follows does not repeat
  /// them.
  ///
  /// - Parameter effects: the effects of the source.
  /// - Returns: the observer; this one if its context has no record.
  @usableFromInline func recordingFailure(of effects: EffectRecord) -> AnyObserver {
    let records = context?.values(of: EffectRecord.self) ?? []
    guard !records.isEmpty else { return self }
    return calling { event in
      if case .error = event {
        for record in records { record.formUnion(effects) }
      }
      self.on(event)
    }
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
