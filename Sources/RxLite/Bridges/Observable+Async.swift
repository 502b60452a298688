extension ObservableConvertibleType {
  /// The elements of the sequence as an asynchronous sequence, for a `for try await` loop.
  ///
  /// Reading the property subscribes at once. Elements that the loop has not consumed are buffered without
  /// limit. An error ends the loop, which throws it. Cancellation of the task ends it with
  /// `CancellationError`, after the elements that were buffered by then. The subscription is disposed when
  /// the loop ends, when its task is cancelled, or when the stream is released without a loop. Each loop
  /// needs a stream of its own.
  ///
  /// ```swift
  /// for try await element in Observable.of(1, 2, 3).values { print(element) }
  /// ```
  public var values: AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream(bufferingPolicy: .unbounded) { continuation in
      let subscription = asObservable().subscribe { event in
        switch event {
        case .next(let element):
          // Crosses to the task of the loop as an element crosses a scheduler.
          nonisolated(unsafe) let element = element
          continuation.yield(element)
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
  /// limit. The subscription is disposed when the loop ends, when its task is cancelled, which ends the loop,
  /// or when the stream is released without a loop. Each loop needs a stream of its own.
  public var values: AsyncStream<Element> {
    AsyncStream(bufferingPolicy: .unbounded) { continuation in
      let subscription = subscribe { (event: InfallibleEvent<Element>) in
        switch event {
        case .next(let element):
          // Crosses to the task of the loop as an element crosses a scheduler.
          nonisolated(unsafe) let element = element
          continuation.yield(element)
        case .completed: continuation.finish()
        }
      }
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}
