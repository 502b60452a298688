import ReactiveNetworkLock

/// Adapts a task to `Cancellable`.
final class TaskToken: Cancellable {
  private let task: _Concurrency.Task<Void, Never>

  init(_ task: _Concurrency.Task<Void, Never>) {
    self.task = task
  }

  var isCancelled: Bool { task.isCancelled }

  func cancel() { task.cancel() }
}
