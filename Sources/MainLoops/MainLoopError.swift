public import Foundation

/// The reason why a main loop does not run Dispatch's main queue.
public enum MainLoopError: Error, Sendable, Hashable, LocalizedError {
  /// GLib was not found or is too old; the reason is the dynamic linker's.
  case glibUnavailable(reason: String)
  /// The function was called on another thread than the main thread.
  case notOnMainThread(function: String)

  /// A description of the error in one line.
  public var errorDescription: String? {
    switch self {
    case .glibUnavailable(let reason): "GLib cannot be used: \(reason)"
    case .notOnMainThread(let function):
      "\(function) was called on another thread than the main thread, which alone may run the main queue"
    }
  }
}
