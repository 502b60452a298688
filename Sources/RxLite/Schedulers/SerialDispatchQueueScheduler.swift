#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// A scheduler that runs actions on a serial dispatch queue, one at a time and in the order of scheduling.
///
/// The scheduler has a separate serial queue, whose target is the queue that it is given, so the order is
/// kept even if that queue is concurrent. `observe(on:)` delivers several pending elements in one run. The
/// deadlines of periodic work follow the first one at multiples of the period, so delays do not accumulate;
/// missed runs are skipped.
///
/// ```swift
/// let background = SerialDispatchQueueScheduler(qos: .utility)
/// Observable.of("a", "b")
///   .observe(on: background)
///   .subscribe(onNext: { print($0) })
///   .disposed(by: bag)
/// ```
public class SerialDispatchQueueScheduler: DispatchScheduler, @unchecked Sendable {
  // Sendable because the stored properties are immutable, and the only subclass adds an atomic.

  /// A span of time in seconds.
  public typealias TimeInterval = Double

  /// A point in time.
  public typealias Time = Date

  let queue: DispatchQueue
  let leeway: DispatchTimeInterval

  init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    queue = serialQueue
    self.leeway = leeway
  }

  /// Creates a scheduler with a new queue.
  ///
  /// - Parameters:
  ///   - internalSerialQueueName: the label of the queue.
  ///   - serialQueueConfiguration: receives the queue while it is inactive, for example to set its target.
  ///   - leeway: how much later than its deadline a timer may fire; 0 if negative.
  public convenience init(
    internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    // The target can be set only on an inactive queue.
    let queue = DispatchQueue(label: internalSerialQueueName, attributes: .initiallyInactive)
    serialQueueConfiguration?(queue)
    queue.activate()
    self.init(serialQueue: queue, leeway: leeway)
  }

  /// Creates a scheduler whose work runs on an existing queue.
  ///
  /// - Parameters:
  ///   - queue: the target of the scheduler's own serial queue; may be concurrent.
  ///   - internalSerialQueueName: the label of the scheduler's own queue.
  ///   - leeway: how much later than its deadline a timer may fire; 0 if negative.
  public convenience init(
    queue: DispatchQueue, internalSerialQueueName: String, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
  }

  /// Creates a scheduler whose work runs on a global queue.
  ///
  /// - Parameters:
  ///   - qos: selects the global queue.
  ///   - internalSerialQueueName: the label of the scheduler's own queue.
  ///   - leeway: how much later than its deadline a timer may fire; 0 if negative.
  public convenience init(
    qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(
      queue: .global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName, leeway: leeway)
  }

  /// Schedules an action to run as soon as the queue reaches it.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action and releases it at once.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    enqueue(state, action)
  }
}
