extension PrimitiveSequence {
  /// Creates a new sequence for each subscription.
  ///
  /// - Parameter observableFactory: returns the sequence. An error that it throws ends the sequence.
  /// - Returns: the sequence.
  @preconcurrency public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .deferred { try observableFactory().asObservable() })
  }

  /// Creates a resource and a sequence that uses it for each subscription, and disposes the resource with the
  /// subscription.
  ///
  /// - Parameters:
  ///   - resourceFactory: returns the resource, which is disposed after the sequence.
  ///   - primitiveSequenceFactory: returns the sequence. An error that it or `resourceFactory` throws ends
  ///     the sequence.
  /// - Returns: the sequence.
  @preconcurrency public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(
      raw: .using(
        resourceFactory, observableFactory: { try primitiveSequenceFactory($0).source }))
  }

  /// Continues with another sequence if this one fails.
  ///
  /// - Parameter handler: returns the sequence for the error. An error that it throws replaces the first one.
  /// - Returns: the sequence.
  @preconcurrency public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.catch { try handler($0).asObservable() })
  }

  /// Subscribes again after each error, without a limit.
  ///
  /// The failed attempt is disposed before the next one is made. Attempts that fail at once follow each other
  /// in a loop.
  ///
  /// - Returns: the sequence, which never fails.
  public func retry() -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry())
  }

  /// Subscribes again after an error until a number of attempts have failed.
  ///
  /// - Parameter maxAttemptCount: the total number of subscriptions, including the first. With 0 or less no
  ///   attempt is made and the sequence completes at once without an element; the subscriber of such a
  ///   `Single` receives nothing.
  /// - Returns: the sequence, which fails with the error of the last attempt.
  public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(maxAttemptCount))
  }

  /// Subscribes again after an error whenever the notifier emits.
  ///
  /// - Parameter notificationHandler: receives the sequence of errors and returns the notifier.
  /// - Returns: the sequence.
  @preconcurrency public func retry<TriggerObservable: ObservableType>(
    when notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(when: notificationHandler))
  }

  /// Subscribes again after an error of one type whenever the notifier emits.
  ///
  /// - Parameter notificationHandler: receives the sequence of errors and returns the notifier.
  /// - Returns: the sequence.
  @preconcurrency public func retry<TriggerObservable: ObservableType, Failure: Error>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(when: notificationHandler))
  }
}
