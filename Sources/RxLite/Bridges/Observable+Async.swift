extension ObservableConvertibleType {
  /// The elements of the sequence as an asynchronous sequence, for a `for try await` loop.
  ///
  /// Reading the property subscribes at once. Elements that the loop has not consumed are buffered without
  /// limit. If the sequence fails, the loop throws its error. If the task is cancelled, the loop receives the
  /// elements buffered so far and then throws `CancellationError`; in a task that is already
  /// cancelled, a request of `provider.rx` is not sent. The subscription is disposed when the loop ends, when
  /// its task is cancelled, or when the stream is released without a loop. Each loop needs a separate stream.
  ///
  /// ```swift
  /// for try await element in Observable.of(1, 2, 3).values { print(element) }
  /// ```
  public var values: AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream(bufferingPolicy: .unbounded) { continuation in
      let subscription = asObservable().inCurrentTask().subscribe { event in
        switch event {
        case .next(let element): continuation.yield(passedOn(element))
        case .error(let error): continuation.finish(throwing: error)
        case .completed: continuation.finish()
        }
      }
      continuation.onTermination = { termination in
        subscription.dispose()
        // Without this the stream would end as if the sequence had completed.
        if case .cancelled = termination { continuation.finish(throwing: CancellationError()) }
      }
    }
  }
}

extension InfallibleType {
  /// The elements of the infallible as an asynchronous sequence, for a `for await` loop.
  ///
  /// Reading the property subscribes at once. Elements that the loop has not consumed are buffered without
  /// limit. Cancelling its task ends the loop; in a task that is already cancelled, a request of
  /// `provider.rx` is not sent. The subscription is disposed when the loop ends, when its task is cancelled,
  /// or when the stream is released without a loop. Each loop needs a separate stream.
  public var values: AsyncStream<Element> {
    AsyncStream(bufferingPolicy: .unbounded) { continuation in
      let subscription = asObservable().inCurrentTask().subscribe { event in
        switch event {
        case .next(let element): continuation.yield(passedOn(element))
        // An infallible fails only in a cancelled task, if it must not start a shared sequence.
        case .error, .completed: continuation.finish()
        }
      }
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}
