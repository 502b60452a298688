extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Subscribes, waits for the element and returns it.
  ///
  /// Throws the error of the single, or `CancellationError` if the task is cancelled first, which disposes the
  /// subscription. In a task that was cancelled before, a single that answers while it is being subscribed still does.
  public var value: Element {
    get async throws {
      let source = primitiveSequence.source
      return try await EndOfSequence.wait { end in
        source.subscribe(
          onNext: { end.report(.success($0)) }, onError: { end.report(.failure($0)) },
          onCompleted: { end.report(.failure(RxError.noElements)) }, onDisposed: { end.reportDisposal() })
      }
    }
  }

  /// Makes a single of an `async` closure, which a new task runs for each subscription.
  ///
  /// Disposing the subscription cancels the task.
  ///
  /// ```swift
  /// let answer = Single.create { try await compute() }
  /// ```
  ///
  /// - Parameters:
  ///   - detached: whether the task leaves behind the priority and the task-local values of the subscriber's.
  ///   - priority: the priority of the task.
  ///   - work: makes the element; what it throws is the error. Runs on the global executor.
  /// - Returns: the single; it sends on the task's thread.
  public static func create(
    detached: Bool = false, priority: TaskPriority? = nil,
    work: @Sendable @escaping () async throws -> Element
  ) -> Single<Element> {
    create { report in
      let operation: @Sendable () async -> Void = {
        do { report(.success(try await work())) } catch { report(.failure(error)) }
      }
      let task =
        detached
        ? Task.detached(priority: priority, operation: operation)
        : Task(priority: priority, operation: operation)
      return Disposables.create { task.cancel() }
    }
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Subscribes, waits for the end and returns the element, `nil` where there is none.
  ///
  /// Throws the error of the maybe, or `CancellationError` if the task is cancelled first, which disposes the
  /// subscription. In a task that was cancelled before, a maybe that answers while it is being subscribed still does.
  public var value: Element? {
    get async throws {
      let source = primitiveSequence.source
      return try await EndOfSequence.wait { end in
        source.subscribe(
          onNext: { end.report(.success($0)) }, onError: { end.report(.failure($0)) },
          onCompleted: { end.report(.success(nil)) }, onDisposed: { end.reportDisposal() })
      }
    }
  }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Subscribes and waits for the end.
  ///
  /// Throws the error of the completable, or `CancellationError` if the task is cancelled first, which disposes the
  /// subscription. In a task that was cancelled before, a completable that answers while it is being subscribed still does.
  public var value: Void {
    get async throws {
      let source = primitiveSequence.source
      return try await EndOfSequence.wait { end in
        source.subscribe(
          onError: { end.report(.failure($0)) }, onCompleted: { end.report(.success(())) },
          onDisposed: { end.reportDisposal() })
      }
    }
  }
}
