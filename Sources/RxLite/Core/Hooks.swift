import Foundation
import Locking
import Synchronization

/// What happens to errors nobody handles.
public enum Hooks {
  /// Handles an error that reached a subscription without an error handler; gets the call stack of the
  /// subscription where recording is on.
  ///
  /// It may be called on any thread, wherever the error came up.
  public typealias DefaultErrorHandler = (_ subscriptionCallStack: [String], _ error: any Error) -> Void

  /// Tells the call stack of a subscription.
  public typealias CustomCaptureSubscriptionCallstack = () -> [String]

  private struct State {
    var handler: DefaultErrorHandler = { callStack, error in
      print("Unhandled error happened: \(error)")
      for line in callStack { print("  \(line)") }
    }
    var capture: CustomCaptureSubscriptionCallstack = { Thread.callStackSymbols }
  }

  private static let state = Lock(State())
  private static let records = Atomic(false)

  /// Handles errors that nobody else does; prints them unless set.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { state.withLock { $0.handler } }
    // What is replaced is released outside of the lock, since that may run user code.
    set { _ = state.withLock { exchange(&$0.handler, with: newValue) } }
  }

  /// Tells the call stack of a subscription, `Thread.callStackSymbols` unless set; asked only while
  /// `recordCallStackOnError` is on.
  public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { state.withLock { $0.capture } }
    set { _ = state.withLock { exchange(&$0.capture, with: newValue) } }
  }

  /// Whether subscriptions without an error handler record where they were made; off unless set, since it is slow.
  public static var recordCallStackOnError: Bool {
    get { records.load(ordering: .relaxed) }
    set { records.store(newValue, ordering: .relaxed) }
  }

  @usableFromInline static func captureCallStack() -> [String] {
    recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
  }
}
