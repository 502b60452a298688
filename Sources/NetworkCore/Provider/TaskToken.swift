import Locking

/// A task as something to cancel.
final class TaskToken: Cancellable {
  private let task: _Concurrency.Task<Void, Never>

  init(_ task: _Concurrency.Task<Void, Never>) {
    self.task = task
  }

  var isCancelled: Bool { task.isCancelled }

  func cancel() { task.cancel() }
}
