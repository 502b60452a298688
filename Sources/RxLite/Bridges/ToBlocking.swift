#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ObservableConvertibleType {
  /// The sequence for a thread that blocks until it has what it wants; for tests and command-line programs.
  ///
  /// ```swift
  /// let numbers = try Observable.of(1, 2, 3).toBlocking().toArray()
  /// ```
  ///
  /// The calling thread subscribes and waits; no run loop runs meanwhile. What the subscription schedules on the
  /// current thread runs before the wait begins, also inside another subscription. What is scheduled on the main queue cannot
  /// run while the main thread is the one that waits: use another scheduler there, or a timeout.
  ///
  /// - Parameter timeout: how many seconds to wait for the end, with `RxError.timeout` after them; `nil` waits for
  ///   ever. A source that sends without end while it is being subscribed cannot be interrupted.
  /// - Returns: the sequence with methods that block.
  public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}
