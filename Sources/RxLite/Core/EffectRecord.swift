import ReactiveNetworkLock

/// The effects that a subscription has had upstream, for an operator that may repeat all of them.
///
/// An effect is a short name, such as the method of a request. The effects of shared sequences are kept
/// apart, because a repetition need not have them again: the sequence may still be connected, or replay an
/// element.
@usableFromInline package final class EffectRecord: Sendable {
  private struct State {
    /// How often the subscription itself has had each effect.
    var counts: [String: Int] = [:]
    /// Whether an effect turned out not to have taken place.
    var hasWithdrawn = false
    /// Whether the subscription can have no further effect.
    var isClosed = false
    /// The records of the shared sequences that the subscription has joined, which may still grow.
    var joined: [ObjectIdentifier: EffectRecord] = [:]
    /// The effects of joined sequences whose records are released.
    var ofReleased: Set<String> = []
    /// The number of joined records at which those that cannot grow are released.
    var limit = 8

    /// Releases the records that nothing else refers to.
    mutating func releaseEnded() {
      var records = Array(joined.values)
      joined = [:]
      while var record = records.popLast() {
        if isKnownUniquelyReferenced(&record) {
          // Nobody else can hold its lock.
          let state = record.state.withLock { $0 }
          ofReleased.formUnion(state.ofReleased.union(state.counts.keys))
          records += state.joined.values
        } else {
          joined[ObjectIdentifier(record)] = record
        }
      }
      limit = max(8, 2 * joined.count)
    }
  }

  private let state = Lock(State())

  /// Creates an empty record.
  @usableFromInline package init() {}

  /// Creates the record of the attempt that follows another one, which no longer runs.
  ///
  /// - Parameter previous: the record of that attempt, whose effects count like those of a shared sequence.
  package init(after previous: EffectRecord) {
    var next = previous.state.withLock { $0 }
    next.ofReleased.formUnion(next.counts.keys)
    (next.counts, next.hasWithdrawn, next.isClosed) = ([:], false, false)
    state.withLock { [next] in $0 = next }
  }

  /// The effects of the subscription itself, without repetitions.
  package var own: Set<String> { state.withLock { Set($0.counts.keys) } }

  /// Whether the subscription itself has recorded nothing, not even an effect that was withdrawn.
  package var isEmpty: Bool { state.withLock { $0.counts.isEmpty && !$0.hasWithdrawn } }

  /// The effects of the shared sequences that the subscription has joined in all attempts, and of those which
  /// these have joined.
  package var shared: Set<String> {
    var (effects, records) = state.withLock { ($0.ofReleased, Array($0.joined.values)) }
    // Two sequences may have joined each other.
    var seen = Set([ObjectIdentifier(self)])
    while let record = records.popLast() {
      guard seen.insert(ObjectIdentifier(record)).inserted else { continue }
      record.state.withLock { state in
        effects.formUnion(state.ofReleased.union(state.counts.keys))
        records += state.joined.values
      }
    }
    return effects
  }

  /// Whether the subscription can have no further effect.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Records an effect, before it takes place.
  ///
  /// - Parameter effect: the effect.
  /// - Returns: `false` if the subscription has been disposed, so that the effect must not take place.
  package func insert(_ effect: String) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.counts[effect, default: 0] += 1 }
      return !state.isClosed
    }
  }

  /// Removes a recorded effect that provably has not taken place.
  ///
  /// - Parameter effect: the effect, of which others of the same name remain.
  package func withdraw(_ effect: String) {
    state.withLock { state in
      guard let count = state.counts[effect] else { return }
      state.counts[effect] = count > 1 ? count - 1 : nil
      state.hasWithdrawn = true
    }
  }

  /// Ends the record, because the subscription has ended or is being disposed.
  ///
  /// A source may have checked for the disposal just before, on another thread. What it does then must not
  /// escape a decision that rests on the record.
  @usableFromInline package func close() {
    let joined = state.withLock { state in
      state.isClosed = true
      return state.joined
    }
    if !joined.isEmpty { takeOverClosed(of: joined) }
  }

  /// Replaces closed records by their effects and the records that they have joined.
  ///
  /// Two sequences may have joined each other; their records would keep each other.
  private func takeOverClosed(of joined: [ObjectIdentifier: EffectRecord]) {
    var (effects, records) = (Set<String>(), Array(joined.values))
    var (closed, open): ([ObjectIdentifier], [ObjectIdentifier: EffectRecord]) = ([], [:])
    var seen = Set([ObjectIdentifier(self)])
    while let record = records.popLast() {
      let id = ObjectIdentifier(record)
      guard seen.insert(id).inserted else { continue }
      record.state.withLock { state in
        guard state.isClosed else { return open[id] = record }
        closed.append(id)
        effects.formUnion(state.ofReleased.union(state.counts.keys))
        records += state.joined.values
      }
    }
    state.withLock { state in
      state.ofReleased.formUnion(effects)
      state.joined.merge(open) { $1 }
      for id in closed { state.joined[id] = nil }
    }
  }

  /// Records the effects of another record as the subscription's own.
  func formUnion(_ other: EffectRecord) {
    let (others, hasWithdrawn) = other.state.withLock { ($0.counts, $0.hasWithdrawn) }
    state.withLock { state in
      state.counts.merge(others, uniquingKeysWith: +)
      state.hasWithdrawn = state.hasWithdrawn || hasWithdrawn
    }
  }

  /// Records the past and future effects of a shared sequence.
  ///
  /// Amortized, this takes constant time, and memory for the sequences that still run.
  package func join(_ other: EffectRecord) {
    guard other !== self else { return }
    state.withLock { state in
      state.joined[ObjectIdentifier(other)] = other
      if state.joined.count >= state.limit { state.releaseEnded() }
    }
  }
}
