/// Something that can be ended: a subscription, a scheduled action, a resource.
///
/// A final class that conforms without being `Sendable`, as code from before Swift 6 does, compiles with a warning. In the Swift 6
/// language mode one that is not final has to say `@unchecked Sendable`.
@preconcurrency public protocol Disposable: Sendable {
  /// Ends it; calling it again does nothing. May be called on any thread.
  func dispose()
}

/// A disposable that tells whether it was disposed.
public protocol Cancelable: Disposable {
  /// Whether it was disposed.
  var isDisposed: Bool { get }
}
