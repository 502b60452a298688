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
  /// The calling thread subscribes and waits. What the subscription schedules on the current thread runs before the wait begins,
  /// also inside another subscription. The main thread runs its run loop meanwhile, so that what is scheduled on the main queue
  /// arrives. Only where a block of that queue is what blocks it, as on the main actor, does it not: use another scheduler
  /// there, or a timeout.
  ///
  /// - Parameter timeout: how many seconds to wait for the end, with `RxError.timeout` after them; `nil` waits for
  ///   ever. A source that sends without end while it is being subscribed cannot be interrupted.
  /// - Returns: the sequence with methods that block.
  public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}
