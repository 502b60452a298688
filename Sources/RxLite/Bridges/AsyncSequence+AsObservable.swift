extension AsyncSequence where Self: Sendable {
  /// Returns the elements as an observable; each subscription iterates in a new task.
  ///
  /// Nothing is buffered: the task requests the next element after the previous one was delivered. An error
  /// of the sequence ends the observable, but a `CancellationError` completes it. Disposing the subscription
  /// cancels the task, which then requests no further element.
  ///
  /// - Parameter priority: the priority of the task.
  /// - Returns: the sequence, which sends on the task's thread.
  @preconcurrency public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
    Observable { observer in
      let serialized = SerializedObserver(observer)
      // Each subscription passes this closure to a new task. If several tasks must not iterate the sequence
      // concurrently, it must not be subscribed to concurrently either.
      nonisolated(unsafe) let iterate: () async throws -> Void = {
        // The subscription may be disposed before its task begins.
        if serialized.hasEnded { return }
        for try await element in self {
          serialized.on(.next(element))
          // A sequence that always has an element may never check for cancellation.
          if serialized.hasEnded || Task.isCancelled { return }
        }
      }
      let task = Task(priority: priority) {
        do {
          try await iterate()
          serialized.on(.completed)
        } catch is CancellationError {
          serialized.on(.completed)
        } catch {
          serialized.on(.error(error))
        }
      }
      serialized.assign(Disposables.create { task.cancel() })
      return serialized
    }
  }
}
