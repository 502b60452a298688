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
  /// before the wait begins, even if the call is made inside another subscription. While the main thread
  /// waits, it runs its run loop, so that work on the main queue runs. A call from inside a block of the main
  /// queue, for example on the main actor, holds up that queue instead: use another scheduler or a timeout.
  ///
  /// - Parameter timeout: the number of seconds to wait for the end before the call fails with
  ///   `RxError.timeout`; `nil` waits without a limit. A source that sends endlessly within its
  ///   subscription cannot be interrupted.
  /// - Returns: the sequence with methods that block.
  public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}
