/// A cancellable activity or resource, such as a subscription or a scheduled action.
///
/// A final class that conforms but is not `Sendable`, as in code from before Swift 6, compiles with a
/// warning. In the Swift 6 language mode, a class that is not final must declare `@unchecked Sendable`.
@preconcurrency public protocol Disposable: Sendable {
  /// Ends the activity or releases the resource.
  ///
  /// Further calls do nothing. May be called on any thread.
  func dispose()
}

/// A disposable that reports whether it was disposed.
public protocol Cancelable: Disposable {
  /// Whether it was disposed.
  var isDisposed: Bool { get }
}
