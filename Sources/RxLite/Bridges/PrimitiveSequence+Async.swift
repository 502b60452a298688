extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Subscribes, waits for the element and returns it.
  ///
  /// Throws the error of the single. If the task is cancelled first, the subscription is disposed and
  /// `CancellationError` is thrown. If the task was cancelled before the call, an element that the single
  /// sends during the subscription is still returned, but a request of `provider.rx` is not sent.
  public var value: Element {
    get async throws {
      let source = primitiveSequence.source.inCurrentTask()
      return try await FirstResult.wait { result in
        source.subscribe(
          onNext: { result.report(.success($0)) }, onError: { result.report(.failure($0)) },
          onCompleted: { result.report(.failure(RxError.noElements)) },
          onDisposed: { result.reportDisposal() })
      }
    }
  }

  /// Creates a single from an `async` closure, which a new task runs for each subscription.
  ///
  /// Disposing the subscription cancels the task.
  ///
  /// ```swift
  /// let answer = Single.create { try await compute() }
  /// ```
  ///
  /// - Parameters:
  ///   - detached: whether the task ignores the subscriber's priority and task-local values.
  ///   - priority: the priority of the task.
  ///   - work: returns the element. If it throws, the single fails with that error. Runs on the global
  ///     executor.
  /// - Returns: the single, which sends on the task's thread.
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
  /// Subscribes, waits for the end and returns the element, or `nil` if there is none.
  ///
  /// Throws the error of the maybe. If the task is cancelled first, the subscription is disposed and
  /// `CancellationError` is thrown. If the task was cancelled before the call, a result that the maybe
  /// reports during the subscription still counts, but a request of `provider.rx` is not sent.
  public var value: Element? {
    get async throws {
      let source = primitiveSequence.source.inCurrentTask()
      return try await FirstResult.wait { result in
        source.subscribe(
          onNext: { result.report(.success($0)) }, onError: { result.report(.failure($0)) },
          onCompleted: { result.report(.success(nil)) }, onDisposed: { result.reportDisposal() })
      }
    }
  }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Subscribes and waits for the end.
  ///
  /// Throws the error of the completable. If the task is cancelled first, the subscription is disposed and
  /// `CancellationError` is thrown. If the task was cancelled before the call, an end that the completable
  /// reports during the subscription still counts, but a request of `provider.rx` is not sent.
  public var value: Void {
    get async throws {
      let source = primitiveSequence.source.inCurrentTask()
      return try await FirstResult.wait { result in
        source.subscribe(
          onError: { result.report(.failure($0)) }, onCompleted: { result.report(.success(())) },
          onDisposed: { result.reportDisposal() })
      }
    }
  }
}
