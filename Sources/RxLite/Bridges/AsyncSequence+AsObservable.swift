extension AsyncSequence {
  /// The elements as an observable, which a new task iterates for each subscription.
  ///
  /// Nothing is buffered: the task takes the next element when the last one has been delivered. What the
  /// sequence throws is the error. Disposing the subscription cancels the task, which then takes no further element.
  ///
  /// - Parameter priority: the priority of the task.
  /// - Returns: the sequence; it sends on the task's thread.
  public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
    Observable { observer in
      let entrance = Entrance(observer)
      // Handed from the subscriber to one task for each subscription; a sequence that several tasks must not
      // iterate at the same time must not be subscribed so either.
      nonisolated(unsafe) let iterate: () async throws -> Void = {
        for try await element in self {
          entrance.on(.next(element))
          // A sequence that always has an element may never look.
          if Task.isCancelled { return }
        }
      }
      let task = Task(priority: priority) {
        do {
          try await iterate()
          entrance.on(.completed)
        } catch {
          entrance.on(.error(error))
        }
      }
      entrance.assign(Disposables.create { task.cancel() })
      return entrance
    }
  }
}
