/// Work that can be cancelled.
@preconcurrency public protocol Cancellable: Sendable {
  /// Whether `cancel()` was called.
  var isCancelled: Bool { get }

  /// Cancels the work; does nothing if it has ended or was cancelled before.
  ///
  /// May be called on any thread.
  func cancel()
}
