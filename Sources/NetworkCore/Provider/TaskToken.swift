import Locking

/// A task as something to cancel.
final class TaskToken: Cancellable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) {
    self.task = task
  }

  var isCancelled: Bool { task.isCancelled }

  func cancel() { task.cancel() }
}
