#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ObservableConvertibleType {
  /// Returns the sequence with methods that block the calling thread, for tests and command-line programs.
  ///
  /// ```swift
  /// let numbers = try Observable.of(1, 2, 3).toBlocking().toArray()
  /// ```
  ///
  /// The calling thread subscribes and waits. Work that the subscription schedules on the current thread runs
  /// before the wait begins, also inside another subscription. The main thread runs its run loop meanwhile,
  /// so that work on the main queue runs. The exception is a call from inside a block of that queue, as on
  /// the main actor: there the block holds up the queue, so use another scheduler or a timeout.
  ///
  /// - Parameter timeout: the number of seconds to wait for the end before the call fails with
  ///   `RxError.timeout`; `nil` waits without a limit. A source that sends without end while it is being
  ///   subscribed to cannot be interrupted.
  /// - Returns: the sequence with methods that block.
  public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}
