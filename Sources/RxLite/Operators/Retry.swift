extension ObservableType {
  /// Subscribes again after each error, for ever.
  @inlinable public func retry() -> Observable<Element> {
    .catch(sequence: sequence(first: asObservable()) { $0 })
  }

  /// Subscribes again after an error until so many attempts have failed.
  ///
  /// - Parameter maxAttemptCount: how often to subscribe in all, the first time included; 0 or less ends at once.
  /// - Returns: the sequence: it ends with the last attempt's error.
  @inlinable public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    .catch(sequence: Swift.repeatElement(asObservable(), count: Swift.max(0, maxAttemptCount)))
  }

  /// Subscribes again after an error whenever a notifier emits; ends as the notifier does.
  ///
  /// - Parameter notificationHandler: makes the notifier of the sequence of errors.
  /// - Returns: the sequence.
  public func retry<TriggerObservable: ObservableType>(
    when notificationHandler: @escaping (Observable<any Error>) -> TriggerObservable
  ) -> Observable<Element> {
    retry(on: { $0 }, when: notificationHandler)
  }

  /// Subscribes again after an error of one type whenever a notifier emits; ends as the notifier does.
  ///
  /// - Parameter notificationHandler: makes the notifier of the sequence of errors. An error of another type
  ///   ends the sequence.
  /// - Returns: the sequence.
  public func retry<TriggerObservable: ObservableType, Failure: Error>(
    when notificationHandler: @escaping (Observable<Failure>) -> TriggerObservable
  ) -> Observable<Element> {
    retry(on: { $0 as? Failure }, when: notificationHandler)
  }

  private func retry<Failure, TriggerObservable: ObservableType>(
    on failure: @escaping (any Error) -> Failure?,
    when notificationHandler: @escaping (Observable<Failure>) -> TriggerObservable
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { observer in
      let failures = PublishSubject<Failure>()
      let relay = Relay<Element>(observer) { ended in
        guard case .error(let error) = ended, let failure = failure(error) else { return .end(ended) }
        return .wait { failures.on(.next(failure)) }
      }
      let notifier = notificationHandler(failures.asObservable()).subscribe { event in
        switch event {
        case .next: relay.take(.follow(source))
        case .error(let error): relay.take(.end(.error(error)))
        case .completed: relay.take(.end(.completed))
        }
      }
      relay.take(.follow(source))
      return Disposables.create(notifier, relay)
    }
  }
}
