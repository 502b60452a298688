public import Foundation

/// A scheduler that runs work as operations of an operation queue.
public final class OperationQueueScheduler: ImmediateSchedulerType, Sendable {
  /// The queue that runs the operations.
  public let operationQueue: OperationQueue

  /// The priority of the operations.
  public let queuePriority: Operation.QueuePriority

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - operationQueue: runs the operations.
  ///   - queuePriority: the priority of the operations.
  public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
    self.operationQueue = operationQueue
    self.queuePriority = queuePriority
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
    let scheduled = ScheduledAction { action(state) }
    let operation = BlockOperation { scheduled.run() }
    operation.queuePriority = queuePriority
    operationQueue.addOperation(operation)
    return scheduled
  }
}
