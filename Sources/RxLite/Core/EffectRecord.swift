import ReactiveNetworkLock

/// The effects that a subscription has had upstream, for an operator that may repeat all of them.
///
/// An effect is a short name, such as the method of a request.
@usableFromInline package final class EffectRecord: Sendable {
  private let effects = Lock<Set<String>>([])

  /// Creates an empty record.
  @usableFromInline package init() {}

  /// The effects, without repetitions.
  package var all: Set<String> { effects.withLock { $0 } }

  /// Records an effect, before it takes place.
  package func insert(_ effect: String) { effects.withLock { _ = $0.insert(effect) } }

  /// Forgets the effects of the previous attempt.
  package func removeAll() { effects.withLock { $0 = [] } }

  /// Records the effects of another record.
  func formUnion(_ other: EffectRecord) {
    let others = other.all
    effects.withLock { $0.formUnion(others) }
  }
}
