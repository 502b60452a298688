import Dispatch

/// Wraps closures of the main actor in closures that operators can call.
///
/// The returned closures must be called on the main queue, which is the executor of the main actor. Only
/// those that `anywhere` returns may be called on any thread.
@usableFromInline enum MainActorClosure {
  /// Returns a closure that passes a value to a closure of the main actor; call it on the main queue.
  ///
  /// It does not check that: the check of `MainActor.assumeIsolated` would cost more than the delivery of an
  /// element. It is safe because the callers deliver through a `MainScheduler`, which runs all its work on the
  /// main queue. The value crosses to the main actor like an element that crosses a scheduler: it is passed on
  /// once, and not used on the other side again.
  @inlinable static func passing<Value>(
    _ receive: @escaping @MainActor @Sendable (Value) -> Void
  ) -> @Sendable (Value) -> Void {
    // A synchronous closure has the same representation with and without an actor.
    unsafeBitCast(receive, to: (@Sendable (Value) -> Void).self)
  }

  /// Returns a closure that calls a closure of the main actor; call it on the main queue.
  @usableFromInline static func calling(_ action: @escaping @MainActor @Sendable () -> Void)
    -> @Sendable () -> Void
  {
    { MainActor.assumeIsolated { action() } }
  }

  /// Returns a closure that calls a closure of the main actor: at once on the main queue, and through the
  /// main queue on other threads.
  @usableFromInline static func anywhere(_ action: @escaping @MainActor @Sendable () -> Void)
    -> @Sendable () -> Void
  {
    {
      if DispatchQueue.isMain {
        MainActor.assumeIsolated { action() }
      } else {
        DispatchQueue.main.async { action() }
      }
    }
  }
}
