/// Something that can be ended: a subscription, a scheduled action, a resource.
///
/// A class that conforms without being `Sendable`, as code from before Swift 6 does, compiles with a warning.
@preconcurrency public protocol Disposable: Sendable {
  /// Ends it; calling it again does nothing. May be called on any thread.
  func dispose()
}

/// A disposable that tells whether it was disposed.
public protocol Cancelable: Disposable {
  /// Whether it was disposed.
  var isDisposed: Bool { get }
}
