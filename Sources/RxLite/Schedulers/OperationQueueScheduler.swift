public import Foundation

/// Runs work as operations of an operation queue.
public final class OperationQueueScheduler: ImmediateSchedulerType, Sendable {
  /// Runs the operations.
  public let operationQueue: OperationQueue

  /// The priority of the operations.
  public let queuePriority: Operation.QueuePriority

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - operationQueue: runs the operations.
  ///   - queuePriority: their priority.
  public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
    self.operationQueue = operationQueue
    self.queuePriority = queuePriority
  }

  /// Schedules an action to run as soon as the queue comes to it.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back and frees it at once.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    let operation = BlockOperation { scheduled.run() }
    operation.queuePriority = queuePriority
    operationQueue.addOperation(operation)
    return scheduled
  }
}
