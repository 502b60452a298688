import ReactiveNetworkLock

extension ObservableType {
  /// Subscribes again after an error whenever a notifier emits.
  ///
  /// After an error, the first element of the notifier starts the next attempt, and its completion or error
  /// ends the sequence. While the source runs, elements of the notifier are dropped, and its completion or
  /// error takes effect at the next error. So if the source fails some time after its subscription,
  /// `errors.take(2)` allows two more attempts and ends the sequence when the last of them fails.
  ///
  /// If an attempt fails during its subscription, the next attempt starts when the notifier has handled the
  /// error; if the notifier ends meanwhile, there is no next attempt. If the notifier is still answering the
  /// previous error on the current thread, as `of` and `from` do, it receives the error when the thread has
  /// no other work queued, or after a thousand steps of such work. So further elements for the previous error
  /// are ignored. But if the notifier sends on another scheduler, an element that arrives after the next
  /// error counts for that error.
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
      let state = RetryState<Element>()
      let failures = RetryFailures<Failure, Element>(state)
      let attempts: SequentialObservable<Element>.NextPart = {
        state.beginAttempt() ? (source, false) : (.never(), true)
      }
      let subscription = SequentialSubscription(observer, attempts) { subscription, ended in
        guard case .error(let error) = ended, let failure = failure(error) else {
          return subscription.end(ended)
        }
        subscription.current.disposable = Disposables.create()
        // The attempt's subscription is on the stack, so the next one would have to wait for it anyway.
        let isHeld = subscription.isInTransition
        let trampoline = Trampoline.current
        if isHeld, trampoline.isActive, state.isNotifierAnswering {
          trampoline.enqueueLast { failures.send(failure, isHeld, subscription) }
        } else {
          failures.send(failure, isHeld, subscription)
        }
      }
      let notifier = notificationHandler(failures.subject.asObservable()).asObservable().subscribe(
        observer.calling { event in
          switch event {
          case .next: if state.requestRetry() { subscription.subscribeToNext(orElse: .completed) }
          case .error(let error):
            if let end = state.endNotifier(with: .error(error)) { subscription.end(end) }
          case .completed: if let end = state.endNotifier(with: .completed) { subscription.end(end) }
          }
        })
      subscription.subscribeToNext(orElse: .completed)
      return Disposables.create(subscription, notifier)
    }
  }
}

/// Delivers the errors of the attempts to the notifier, one at a time.
///
/// A pause begins just before the notifier receives the error. An element that the notifier has sent before,
/// for the previous error, never counts for this one.
private final class RetryFailures<Failure, Element>: MessageRecipient {
  struct Message {
    let failure: Failure
    let isHeld: Bool
    let subscription: SequentialSubscription<Element>
  }

  let subject = PublishSubject<Failure>()
  private let state: RetryState<Element>
  private let serializer = DeliverySerializer()

  init(_ state: RetryState<Element>) {
    self.state = state
  }

  /// Sends an error.
  ///
  /// If `isHeld` is `true`, the next attempt waits until the notifier has handled the error.
  func send(_ failure: Failure, _ isHeld: Bool, _ subscription: SequentialSubscription<Element>) {
    serializer.send(Message(failure: failure, isHeld: isHeld, subscription: subscription), to: self)
  }

  func receive(_ message: Message) {
    if let end = state.beginPause(holdingAttempts: message.isHeld) { return message.subscription.end(end) }
    let trampoline = Trampoline.current
    let queuedSteps = trampoline.queue.count
    subject.onNext(message.failure)
    // Steps that the notifier has queued send further elements for this error.
    state.endDelivery(isAnswering: trampoline.queue.count > queuedSteps)
    if message.isHeld, state.releaseAttempts() { message.subscription.subscribeToNext(orElse: .completed) }
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
    /// Whether the next attempt has to wait until the delivery of the error to the notifier has returned.
    var isHolding = false
    /// Whether the notifier may still send elements for the latest error on the thread of that error.
    var isNotifierAnswering = false
  }

  private let state = Lock(State())

  /// Begins a pause between an error and the next attempt.
  ///
  /// If `isHolding` is `true`, the next attempt waits for `releaseAttempts`; if the notifier ends before,
  /// there is no next attempt. If the notifier has already ended, returns the stop event with which the
  /// sequence ends instead.
  func beginPause(holdingAttempts isHolding: Bool) -> Event<Element>? {
    state.withLock { state in
      state.phase = .waiting
      state.isHolding = isHolding
      state.isNotifierAnswering = true
      return state.end
    }
  }

  var isNotifierAnswering: Bool { state.withLock { $0.isNotifierAnswering } }

  /// Records whether the notifier has more to send when the delivery of an error to it has returned.
  func endDelivery(isAnswering: Bool) {
    state.withLock { $0.isNotifierAnswering = isAnswering }
  }

  /// Returns `true` to start the next attempt now, at most once in each pause.
  func requestRetry() -> Bool {
    state.withLock { state in
      guard state.phase == .waiting else { return false }
      state.phase = .retryRequested
      return !state.isHolding
    }
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
