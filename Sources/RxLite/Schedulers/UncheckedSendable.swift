/// Makes a closure of the library `Sendable` for a scheduler or a disposable, although it may capture values
/// that are not.
///
/// The captures belong to one subscription. The scheduling thread passes the closure on once and does not use
/// the captures at the same time: the operator orders its events, as for an element that crosses a scheduler.
///
/// - Parameter action: the closure.
/// - Returns: the same closure.
@inlinable package func uncheckedSendable<State, Result>(
  _ action: @escaping (State) -> Result
) -> @Sendable (State) -> Result {
  // A closure has the same representation whether it is `Sendable` or not.
  unsafeBitCast(action, to: (@Sendable (State) -> Result).self)
}

/// Makes a closure without a parameter `Sendable`, in the same way.
///
/// - Parameter action: the closure.
/// - Returns: the same closure.
@inlinable package func uncheckedSendable(_ action: @escaping () -> Void) -> @Sendable () -> Void {
  unsafeBitCast(action, to: (@Sendable () -> Void).self)
}

/// Returns a value that crosses to another task, as an element crosses a scheduler.
///
/// It is passed on once and not used again by the caller.
func passedOn<Value>(_ value: Value) -> sending Value {
  nonisolated(unsafe) let value = value
  return value
}
