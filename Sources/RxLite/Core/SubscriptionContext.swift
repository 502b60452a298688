/// A value that a subscription carries to everything upstream of it, and the values of enclosing operators.
///
/// An operator that needs to know what happens upstream adds a value to the context of its observer.
/// Operators make the observers of their sources, inner ones included, from the observer downstream, so the
/// context arrives at the source whichever threads the events take. A subscription that user code makes has
/// no context. The source of a shared sequence serves several subscriptions, so it has a context of its own;
/// see `init(ofSharedSource:startedBy:isForeign:)`.
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
package protocol SubscriptionRule: Sendable {
  /// Returns the rule for the source of a shared sequence that the subscription is about to start.
  ///
  /// Without one, sharing a sequence would lift the restriction. The source serves other subscribers too, so
  /// a rule that the source is likely to break should rather throw.
  ///
  /// - Parameter isForeign: whether code outside the package starts the source, which then gets no rule.
  /// - Returns: the rule; `nil` if the source may do everything.
  /// - Throws: the error of the subscription, which must not start the source.
  func ruleForSharedSource(isForeign: Bool) throws -> (any SubscriptionRule)?
}

extension SubscriptionContext {
  /// Creates the context of the source of a shared sequence.
  ///
  /// - Parameters:
  ///   - effects: records the effects of the source, for all subscribers.
  ///   - starter: the context of the subscriber that starts the source, whose rules apply; `nil` if there is
  ///     none.
  ///   - isForeign: whether code outside the package starts the source.
  /// - Throws: the error of the subscriber, if it must not start the source.
  @usableFromInline convenience init(
    ofSharedSource effects: EffectRecord, startedBy starter: SubscriptionContext?, isForeign: Bool
  ) throws {
    self.init(ofSharedSource: effects, try starter?.rulesForSharedSource(isForeign: isForeign) ?? [])
  }

  /// Creates the context of the source of a shared sequence that has certain rules.
  convenience init(ofSharedSource effects: EffectRecord, _ rules: [any SubscriptionRule] = []) {
    self.init(effects, within: rules.reversed().reduce(nil) { SubscriptionContext($1, within: $0) })
  }

  /// Whether the subscription has rules.
  var hasRules: Bool { !values(of: (any SubscriptionRule).self).isEmpty }

  /// Returns the rules for the source of a shared sequence, beginning with that of the innermost operator.
  private func rulesForSharedSource(isForeign: Bool) throws -> [any SubscriptionRule] {
    try values(of: (any SubscriptionRule).self).compactMap {
      try $0.ruleForSharedSource(isForeign: isForeign)
    }
  }
}

extension AnyObserver {
  /// Creates the observer of a shared sequence, which records the effects of the source.
  ///
  /// If the source fails, they count like effects of the subscription itself, because the next attempt would
  /// start the source again.
  ///
  /// - Parameter effects: the effects of the source.
  /// - Returns: the observer; this one if its context has no record.
  @usableFromInline func recording(_ effects: EffectRecord) -> AnyObserver {
    let records = context?.values(of: EffectRecord.self) ?? []
    guard !records.isEmpty else { return self }
    for record in records { record.join(effects) }
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
