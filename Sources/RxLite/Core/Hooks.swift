import Foundation
import ReactiveNetworkLock
import Synchronization

/// Global handlers for errors that have no other handler.
public enum Hooks {
  /// Handles an error that reached a subscription without an error handler.
  ///
  /// Called on the thread that delivers the error, with the call stack of the subscription if
  /// `recordCallStackOnError` is on, and with an empty array otherwise.
  public typealias DefaultErrorHandler =
    @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void

  /// Returns the call stack of a subscription.
  public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

  private struct State {
    var handler: DefaultErrorHandler = { callStack, error in
      print("Unhandled error happened: \(error)")
      for line in callStack { print("  \(line)") }
    }
    var capture: CustomCaptureSubscriptionCallstack = { Thread.callStackSymbols }
  }

  private static let state = Lock(State())
  private static let records = Atomic(false)

  /// The handler of errors that have no other handler.
  ///
  /// The default prints the error and the call stack.
  @preconcurrency public static var defaultErrorHandler: DefaultErrorHandler {
    get { state.withLock { $0.handler } }
    // The old handler is released outside the lock, because that may run user code.
    set { _ = state.withLock { exchange(&$0.handler, with: newValue) } }
  }

  /// The closure that returns the call stack of a subscription.
  ///
  /// The default returns `Thread.callStackSymbols`. Called only while `recordCallStackOnError` is on.
  @preconcurrency public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { state.withLock { $0.capture } }
    set { _ = state.withLock { exchange(&$0.capture, with: newValue) } }
  }

  /// Whether subscriptions without an error handler record their call stack.
  ///
  /// The default is `false`, because recording is slow.
  public static var recordCallStackOnError: Bool {
    get { records.load(ordering: .relaxed) }
    set { records.store(newValue, ordering: .relaxed) }
  }

  @usableFromInline static func captureCallStack() -> [String] {
    recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
  }
}
