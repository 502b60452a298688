/// Something that can be ended: a subscription, a scheduled action, a resource.
public protocol Disposable: Sendable {
  /// Ends it; calling it again does nothing. May be called on any thread.
  func dispose()
}

/// A disposable that tells whether it was disposed.
public protocol Cancelable: Disposable {
  /// Whether it was disposed.
  var isDisposed: Bool { get }
}
