/// Work in progress that can be called off.
public protocol Cancellable: Sendable {
  /// Whether `cancel()` was called.
  var isCancelled: Bool { get }

  /// Calls the work off; calling it again, or after the work has ended, does nothing.
  ///
  /// May be called on any thread.
  func cancel()
}
