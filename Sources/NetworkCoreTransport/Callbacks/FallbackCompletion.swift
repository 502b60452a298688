import Foundation
package import Synchronization

/// A completion that passes on its first call, or a fallback value if it is released without a call.
package final class FallbackCompletion<Value: Sendable>: Sendable {
  @usableFromInline let fallback: @Sendable () -> Value
  @usableFromInline let action: @Sendable (Value) -> Void
  @usableFromInline let wasCalled = Atomic(false)

  @inlinable package init(
    orElse fallback: @escaping @autoclosure @Sendable () -> Value,
    _ action: @escaping @Sendable (Value) -> Void
  ) {
    self.fallback = fallback
    self.action = action
  }

  @inlinable deinit {
    if !wasCalled.load(ordering: .relaxed) { action(fallback()) }
  }

  @inlinable package func callAsFunction(_ value: Value) {
    if !wasCalled.exchange(true, ordering: .relaxed) { action(value) }
  }
}

/// User code released its completion without calling it.
package struct UncalledCompletionError: LocalizedError {
  /// The code that got the completion, such as `requestClosure`.
  let owner: String

  package init(owner: String) {
    self.owner = owner
  }

  package var errorDescription: String? {
    "The \(owner) released its closure without calling it. Call the closure exactly once."
  }
}
