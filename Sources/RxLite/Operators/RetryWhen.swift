extension ObservableType {
  /// Subscribes again after an error whenever a notifier emits.
  ///
  /// After an error, the first element of the notifier starts the next attempt, and its completion or error
  /// ends the sequence. While the source runs, elements of the notifier are dropped, and its completion or
  /// error takes effect at the next error. So if the source fails some time after its subscription,
  /// `errors.take(2)` allows two more attempts and ends the sequence when the last of them fails.
  ///
  /// If an attempt fails during its subscription, the next attempt starts when the notifier has handled the
  /// error; if the notifier ends meanwhile, there is no next attempt. An element that the notifier sends for an
  /// error, but after the next one, counts for the next one: if each attempt fails at once, the elements of
  /// `errors.flatMap { _ in .of(1, 2) }` start one attempt each.
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
      let state = RetryState<Failure, Element>()
      let attempts = SequentialSubscription(observer, { (source, false) }) { attempts, ended in
        guard case .error(let error) = ended, let failure = failure(error) else {
          return attempts.end(ended)
        }
        attempts.current.disposable = Disposables.create()
        state.attemptFailed(failure, attempts)
      }
      let notifier = notificationHandler(state.failures.asObservable()).asObservable().subscribe(
        observer.calling { event in
          switch event {
          case .next: state.send(.answer, attempts)
          case .error(let error): state.send(.end(.error(error)), attempts)
          case .completed: state.send(.end(.completed), attempts)
          }
        })
      attempts.subscribeToNext(orElse: .completed)
      return Disposables.create(attempts, notifier)
    }
  }
}

/// Delivers the errors of the attempts to the notifier, and decides about the next attempt.
///
/// One thread at a time does either. So what the notifier sends while it receives an error is handled after
/// that, and an element that it has sent before this error arrived never counts for it.
private final class RetryState<Failure, Element>: MessageRecipient {
  enum Signal {
    /// An attempt has failed. If `isHeld` is `true`, the next one waits for `delivered`.
    case failure(Failure, isHeld: Bool)
    /// The notifier has handled the error, except for what it does later.
    case delivered
    case answer
    /// The notifier has ended.
    case end(Event<Element>)
  }

  private enum Phase {
    /// The source is running.
    case attempt
    /// The notifier has received an error and has not sent an element for it.
    case waiting
    /// The notifier has sent an element, and the next attempt has not begun.
    case retryRequested
  }

  let failures = PublishSubject<Failure>()
  private let serializer = DeliverySerializer()
  // The variables are used only in the serializer's turn.
  private var phase = Phase.attempt
  private var isHolding = false
  private var end: Event<Element>?

  func send(_ signal: Signal, _ attempts: SequentialSubscription<Element>) {
    serializer.send((signal, attempts), to: self)
  }

  func attemptFailed(_ failure: Failure, _ attempts: SequentialSubscription<Element>) {
    // If the attempt's subscription is on the stack, the next one would have to wait for it anyway.
    send(.failure(failure, isHeld: attempts.isInTransition), attempts)
  }

  func receive(_ message: (signal: Signal, attempts: SequentialSubscription<Element>)) {
    switch message.signal {
    case .failure(let failure, let isHeld):
      if let end { return message.attempts.end(end) }
      (phase, isHolding) = (.waiting, isHeld)
      failures.onNext(failure)
      send(.delivered, message.attempts)
    case .delivered: isHolding = false
    case .answer: if phase == .waiting { phase = .retryRequested }
    case .end(let event):
      end = event
      if phase != .attempt { message.attempts.end(event) }
    }
    guard phase == .retryRequested, !isHolding else { return }
    phase = .attempt
    message.attempts.subscribeToNext(orElse: .completed)
  }
}
