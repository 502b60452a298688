#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// A scheduler that runs work on a concurrent dispatch queue, several actions at a time if threads are free.
///
/// `observe(on:)` nevertheless keeps the order of the elements, and delivers several pending elements in one
/// run. The deadlines of periodic work follow the first one at multiples of the period, so delays do not
/// accumulate. Periodic runs do not overlap, and missed runs are skipped.
public final class ConcurrentDispatchQueueScheduler: DispatchScheduler, Sendable {
  /// A span of time in seconds.
  public typealias TimeInterval = Double

  /// A point in time.
  public typealias Time = Date

  let queue: DispatchQueue
  let leeway: DispatchTimeInterval

  /// Creates a scheduler on an existing queue.
  ///
  /// - Parameters:
  ///   - queue: runs the work. A serial queue makes the scheduler serial.
  ///   - leeway: how much later than its deadline a timer may fire; 0 if negative.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.queue = queue
    self.leeway = leeway
  }

  /// Creates a scheduler with a new concurrent queue.
  ///
  /// - Parameters:
  ///   - qos: the quality of service of the queue.
  ///   - leeway: how much later than its deadline a timer may fire; 0 if negative.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.init(queue: DispatchQueue(label: "rx.concurrent", qos: qos, attributes: .concurrent), leeway: leeway)
  }
}
