public import Locking

/// A disposable that is set once, possibly after the end: the inside of `SingleAssignmentDisposable`, without an object of its own.
@usableFromInline struct Assignment: ~Copyable, Sendable {
  // Visible, like the lock: the compiler (6.3) breaks in debug builds where an object of another file holds a private type
  // in a lock.
  @usableFromInline struct State {
    var content: (any Disposable)?
    var isDisposed = false
    // Looking at the content itself would copy it.
    var isAssigned = false
  }

  @usableFromInline let state = Lock(State())

  @usableFromInline init() {}

  var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// Called at most once.
  @usableFromInline borrowing func set(_ disposable: consuming any Disposable) {
    var late: (any Disposable)? = disposable
    state.withLock { state in
      if state.isDisposed { return }
      precondition(!state.isAssigned, "What a disposable holds is set once, and was set again.")
      state.isAssigned = true
      swap(&state.content, &late)
    }
    late?.dispose()
  }

  @usableFromInline borrowing func dispose() {
    var content: (any Disposable)?
    state.withLock { state in
      state.isDisposed = true
      // `take()` would copy: nobody knows what kind of disposable it is.
      swap(&state.content, &content)
    }
    content?.dispose()
  }
}
