import Dispatch

/// Turns closures of the main actor into closures that operators can call.
///
/// Each of them is called on the main queue, except those of `anywhere`, which go there by themselves.
enum MainCall {
  /// Returns a closure that passes a value to a closure of the main actor.
  ///
  /// The caller is on the main queue, which is the executor of the main actor.
  static func passing<Value>(
    _ receive: @escaping @MainActor @Sendable (Value) -> Void
  ) -> @Sendable (Value) -> Void {
    { value in
      // Crosses to the main actor as an element crosses a scheduler: passed on once, and not used here again.
      nonisolated(unsafe) let value = value
      MainActor.assumeIsolated { receive(value) }
    }
  }

  /// Returns a closure that calls a closure of the main actor; the caller is on the main queue.
  static func calling(_ action: @escaping @MainActor @Sendable () -> Void) -> @Sendable () -> Void {
    { MainActor.assumeIsolated { action() } }
  }

  /// Returns a closure that calls a closure of the main actor, at once if the caller is on the main queue.
  static func anywhere(_ action: @escaping @MainActor @Sendable () -> Void) -> @Sendable () -> Void {
    {
      if DispatchQueue.isMain {
        MainActor.assumeIsolated { action() }
      } else {
        DispatchQueue.main.async { action() }
      }
    }
  }
}
