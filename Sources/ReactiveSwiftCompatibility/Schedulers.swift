public import Dispatch
public import RxLite

/// ReactiveSwift's name for a scheduler that uses a dispatch queue.
public typealias QueueScheduler = SerialDispatchQueueScheduler

/// ReactiveSwift's name for the scheduler of the main queue, which runs work at once if the caller is already
/// on that queue and nothing is pending.
public typealias UIScheduler = MainScheduler

extension SerialDispatchQueueScheduler {
  /// The scheduler that always queues its work on the main queue, in ReactiveSwift's spelling.
  public static var main: SerialDispatchQueueScheduler { MainScheduler.asyncInstance }

  /// Creates a scheduler with a new queue, in ReactiveSwift's spelling.
  ///
  /// - Parameters:
  ///   - qos: selects the global queue if there is no `targetQueue`.
  ///   - name: the label of the new queue.
  ///   - targetQueue: the queue on which the work runs; `nil` for a global queue.
  public convenience init(
    qos: DispatchQoS = .default, name: String, targeting targetQueue: DispatchQueue? = nil
  ) {
    self.init(queue: targetQueue ?? .global(qos: qos.qosClass), internalSerialQueueName: name)
  }
}
