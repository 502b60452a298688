extension PrimitiveSequence {
  /// Makes the sequence anew for each subscription.
  ///
  /// - Parameter observableFactory: makes it; what it throws ends the sequence with that error.
  /// - Returns: the sequence.
  public static func deferred(
    _ observableFactory: @escaping () throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .deferred { try observableFactory().asObservable() })
  }

  /// Makes a resource and a sequence of it for each subscription, and disposes the resource with the subscription.
  ///
  /// - Parameters:
  ///   - resourceFactory: makes the resource; disposed after the sequence.
  ///   - primitiveSequenceFactory: makes the sequence. What it or `resourceFactory` throws ends the sequence with that
  ///     error.
  /// - Returns: the sequence.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping () throws -> Resource,
    primitiveSequenceFactory: @escaping (Resource) throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(
      raw: .using(
        resourceFactory, observableFactory: { try primitiveSequenceFactory($0).source }))
  }

  /// Continues with another sequence when this one fails.
  ///
  /// - Parameter handler: makes it of the error; what it throws is the new error.
  /// - Returns: the sequence.
  public func `catch`(
    _ handler: @escaping (any Error) throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.catch { try handler($0).asObservable() })
  }

  /// Subscribes again after each error, for ever.
  ///
  /// The attempt that has failed is disposed before the next is made; attempts that fail at once follow each other in a loop.
  ///
  /// - Returns: the sequence, which never fails.
  public func retry() -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry())
  }

  /// Subscribes again after an error until so many attempts have failed.
  ///
  /// - Parameter maxAttemptCount: how often to subscribe in all, the first time included; 0 or less makes no attempt, and the
  ///   sequence ends at once without an element (a `Single` too, whose subscriber then hears nothing).
  /// - Returns: the sequence: it fails with the last attempt's error.
  public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(maxAttemptCount))
  }

  /// Subscribes again after an error whenever the notifier emits.
  ///
  /// - Parameter notificationHandler: makes the notifier of the sequence of errors.
  /// - Returns: the sequence.
  public func retry<TriggerObservable: ObservableType>(
    when notificationHandler: @escaping (Observable<any Error>) -> TriggerObservable
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(when: notificationHandler))
  }

  /// Subscribes again after an error of one type whenever the notifier emits.
  ///
  /// - Parameter notificationHandler: makes the notifier of the sequence of errors.
  /// - Returns: the sequence.
  public func retry<TriggerObservable: ObservableType, Failure: Error>(
    when notificationHandler: @escaping (Observable<Failure>) -> TriggerObservable
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(when: notificationHandler))
  }
}
