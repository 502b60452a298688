import ReactiveNetworkLock

extension ObservableType {
  /// Subscribes again after an error whenever a notifier emits.
  ///
  /// After an error, the first element of the notifier starts the next attempt, and its completion or error
  /// ends the sequence. While the source runs, elements of the notifier are dropped, and its completion or
  /// error takes effect at the next error. So if the source fails some time after its subscription,
  /// `errors.take(2)` allows two more attempts and ends the sequence when the last of them fails.
  ///
  /// Further elements for the same error are ignored, even if the next attempt fails during its subscription:
  /// the notifier receives the new error when the current thread has no other work queued, or after a
  /// thousand steps of such work. But if the notifier sends on another scheduler, an element that arrives
  /// after the next error counts for that error.
  ///
  /// - Parameter notificationHandler: receives the sequence of errors and returns the notifier, which is
  ///   subscribed to before the source.
  /// - Returns: the sequence.
  @preconcurrency public func retry<TriggerObservable: ObservableType>(
    when notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
  ) -> Observable<Element> {
    retrying(on: { $0 }, when: notificationHandler)
  }

  /// Subscribes again after an error of one type whenever a notifier emits.
  ///
  /// - Parameter notificationHandler: receives the sequence of errors and returns the notifier, which is
  ///   subscribed to before the source. An error of another type ends the sequence.
  /// - Returns: the sequence.
  @preconcurrency public func retry<TriggerObservable: ObservableType, Failure: Error>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
  ) -> Observable<Element> {
    retrying(on: { $0 as? Failure }, when: notificationHandler)
  }

  /// `retry(when:)` with closures of the library, which may capture values that are not `Sendable`.
  func retrying<Failure, TriggerObservable: ObservableType>(
    on failure: @escaping (any Error) -> Failure?,
    when notificationHandler: @escaping (Observable<Failure>) -> TriggerObservable
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { observer in
      let failures = PublishSubject<Failure>()
      let state = RetryState<Element>()
      let attempts: SequentialObservable<Element>.NextPart = {
        state.beginAttempt() ? (source, false) : (.never(), true)
      }
      let subscription = SequentialSubscription(observer, attempts) { subscription, ended in
        guard case .error(let error) = ended, let failure = failure(error) else {
          return subscription.end(ended)
        }
        subscription.current.disposable = Disposables.create()
        let trampoline = Trampoline.current
        guard trampoline.isActive else { return failures.on(.next(failure)) }
        trampoline.enqueueLast {
          state.holdAttempts()
          failures.on(.next(failure))
          if state.releaseAttempts() { subscription.subscribeToNext(orElse: .completed) }
        }
      }
      // Subscribed before the notifier, so that the pause begins just before the notifier receives the error.
      // An element that the notifier has sent before, for the previous error, never counts for this one.
      let beginning = failures.subscribe { _ in if let end = state.beginPause() { subscription.end(end) } }
      let notifier = notificationHandler(failures.asObservable()).asObservable().subscribe(
        observer.calling { event in
          switch event {
          case .next: if state.requestRetry() { subscription.subscribeToNext(orElse: .completed) }
          case .error(let error):
            if let end = state.endNotifier(with: .error(error)) { subscription.end(end) }
          case .completed: if let end = state.endNotifier(with: .completed) { subscription.end(end) }
          }
        })
      subscription.subscribeToNext(orElse: .completed)
      return Disposables.create(subscription, notifier, beginning)
    }
  }
}

/// The state between an error and the next attempt, including the end of the notifier.
private final class RetryState<Element>: Sendable {
  private enum Phase {
    /// The source is running.
    case attempt
    /// The notifier has received an error and has not sent an element for it.
    case waiting
    /// The notifier has sent an element, and the next attempt has not begun.
    case retryRequested
  }

  private struct State {
    var phase = Phase.attempt
    var end: Event<Element>?
    /// Whether the sequence ends with `end` now.
    var hasEnded = false
    /// Whether an attempt has to wait until the delivery of an error to the notifier has returned.
    var isHolding = false
  }

  private let state = Lock(State())

  /// Begins a pause between an error and the next attempt.
  ///
  /// If the notifier has already ended, returns the stop event with which the sequence ends instead.
  func beginPause() -> Event<Element>? {
    state.withLock { state in
      state.phase = .waiting
      return state.end
    }
  }

  /// Returns `true` to start the next attempt now, at most once in each pause.
  func requestRetry() -> Bool {
    state.withLock { state in
      guard state.phase == .waiting else { return false }
      state.phase = .retryRequested
      return !state.isHolding
    }
  }

  /// Makes the next attempt wait for `releaseAttempts`; if the notifier ends during the same delivery, there
  /// is no next attempt.
  func holdAttempts() {
    state.withLock { $0.isHolding = true }
  }

  /// Returns `true` to start the held attempt.
  func releaseAttempts() -> Bool {
    state.withLock { state in
      state.isHolding = false
      return state.phase == .retryRequested
    }
  }

  /// Returns whether the next attempt begins; `false` if the notifier has ended the sequence meanwhile.
  func beginAttempt() -> Bool {
    state.withLock { state in
      state.phase = .attempt
      return !state.hasEnded
    }
  }

  /// Records the notifier's stop event, and returns it if the sequence ends with it now.
  func endNotifier(with event: Event<Element>) -> Event<Element>? {
    state.withLock { state in
      state.end = event
      guard state.phase != .attempt else { return nil }
      state.hasEnded = true
      return event
    }
  }
}
