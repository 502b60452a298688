public import ReactiveNetworkLock

/// The subscription to an inner sequence, and the state that its operator keeps for it.
///
/// Its variables belong to the `InnerSubscriptions` that contains it.
@usableFromInline class InnerSubscription: SingleAssignmentBase {
  fileprivate final var index = 0
  fileprivate final var number = 0

  @usableFromInline init() { super.init() }
}

/// Holds one inner subscription at a time; replacing it disposes the previous one.
///
/// A `SerialDisposable` would take one more allocation for each subscription.
@usableFromInline struct SerialInnerSubscription: ~Copyable, Sendable {
  @usableFromInline struct State {
    var current: InnerSubscription?
    var isDisposed = false
  }

  @usableFromInline let state = Lock(State())

  @usableFromInline init() {}

  @usableFromInline borrowing func replace(with subscription: InnerSubscription?) {
    let outdated = state.withLock { state in
      state.isDisposed ? subscription : exchange(&state.current, with: subscription)
    }
    outdated?.disposeContent()
  }

  @usableFromInline borrowing func dispose() {
    let outdated = state.withLock { state in
      state.isDisposed = true
      return state.current.take()
    }
    outdated?.disposeContent()
  }
}

/// A set of concurrent inner subscriptions; insertion and removal take constant time.
///
/// A `CompositeDisposable` would look up a key in a dictionary for each inner subscription.
@usableFromInline struct InnerSubscriptions: ~Copyable, Sendable {
  @usableFromInline struct State {
    var members: [InnerSubscription] = []
    var nextNumber = 0
    var isDisposed = false
  }

  @usableFromInline let state = Lock(State())

  @usableFromInline init() {}

  @usableFromInline borrowing func insert(_ subscription: InnerSubscription) {
    let isLate = state.withLock { state in
      if state.isDisposed { return true }
      subscription.index = state.members.count
      subscription.number = state.nextNumber
      state.nextNumber += 1
      state.members.append(subscription)
      return false
    }
    if isLate { subscription.disposeContent() }
  }

  /// Removes a subscription and disposes it.
  ///
  /// Returns `false` if it was not in the set, as when a sequence of a custom type sends two stop events.
  @discardableResult
  @usableFromInline borrowing func remove(_ subscription: InnerSubscription) -> Bool {
    let isMember = state.withLock { state in
      let index = subscription.index
      guard index < state.members.count, state.members[index] === subscription else { return false }
      // The last subscription takes its place.
      let last = state.members.removeLast()
      if last !== subscription {
        last.index = index
        state.members[index] = last
      }
      return true
    }
    subscription.disposeContent()
    return isMember
  }

  /// Disposes all subscriptions, in the order of their insertion.
  @usableFromInline borrowing func dispose() {
    let members = state.withLock { state in
      state.isDisposed = true
      return exchange(&state.members, with: [])
    }
    for member in members.sorted(by: { $0.number < $1.number }) { member.disposeContent() }
  }
}
