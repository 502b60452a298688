public import Locking

/// The subscription of an inner sequence, and whatever the operator has to know of it.
///
/// `@unchecked Sendable` because its place belongs to the group it is in, and what subclasses add is constant.
@usableFromInline class InnerSubscription: Assignment, @unchecked Sendable {
  fileprivate final var index = 0
  fileprivate final var number = 0

  @usableFromInline init() { super.init() }
}

/// One inner subscription after the other: each ends the one before.
@usableFromInline struct Succession: ~Copyable, Sendable {
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

/// Inner subscriptions side by side; joining and leaving take the same time however many there are.
@usableFromInline struct Gathering: ~Copyable, Sendable {
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

  /// Takes a subscription out and disposes it.
  @usableFromInline borrowing func remove(_ subscription: InnerSubscription) {
    state.withLock { state in
      if state.isDisposed { return }
      // The last one takes its place.
      let last = state.members.removeLast()
      guard last !== subscription else { return }
      last.index = subscription.index
      state.members[last.index] = last
    }
    subscription.disposeContent()
  }

  /// Disposes all, in the order in which they came.
  @usableFromInline borrowing func dispose() {
    let members = state.withLock { state in
      state.isDisposed = true
      defer { state.members = [] }
      return state.members
    }
    for member in members.sorted(by: { $0.number < $1.number }) { member.disposeContent() }
  }
}
