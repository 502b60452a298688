extension ObservableConvertibleType {
  /// The elements, for a `for try await` loop.
  ///
  /// Asking for it subscribes at once. What the loop has not come to is buffered without limit. An error ends the
  /// loop, which throws it. So does the cancellation of its task, with `CancellationError`, after what was buffered by then. The
  /// subscription is disposed when the loop is left, when its task is cancelled, or when the stream is let go without a loop.
  /// Ask anew for each loop.
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
        // Without that the stream would end as if the sequence had completed.
        if case .cancelled = termination { continuation.finish(throwing: CancellationError()) }
      }
    }
  }
}

extension InfallibleType {
  /// The elements, for a `for await` loop.
  ///
  /// Asking for it subscribes at once. What the loop has not come to is buffered without limit. The subscription
  /// is disposed when the loop is left, when its task is cancelled, which ends the loop, or when the stream is let go without a
  /// loop. Ask anew for each loop.
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
