import Locking

extension ObservableType {
  /// Subscribes again after an error whenever a notifier emits.
  ///
  /// The notifier is obeyed between an error and the next attempt: an element starts the attempt, its end or error ends the sequence.
  /// What it sends while the source runs is too late or too early: an element is dropped, its end or error takes effect at the
  /// next error. So where the source fails some time after it was subscribed, `errors.take(2)` allows two more attempts and ends
  /// the sequence when the last of them fails.
  ///
  /// - Parameter notificationHandler: makes the notifier of the sequence of errors; subscribed before the source.
  /// - Returns: the sequence.
  public func retry<TriggerObservable: ObservableType>(
    when notificationHandler: @escaping (Observable<any Error>) -> TriggerObservable
  ) -> Observable<Element> {
    retry(on: { $0 }, when: notificationHandler)
  }

  /// Subscribes again after an error of one type whenever a notifier emits.
  ///
  /// - Parameter notificationHandler: makes the notifier of the sequence of errors; subscribed before the source. An error of
  ///   another type ends the sequence.
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
      let pause = Pause<Element>()
      let attempts: Chain<Element>.Parts = {
        pause.end()
        return (source, false)
      }
      let relay = Relay(observer, attempts) { relay, ended in
        guard case .error(let error) = ended, let failure = failure(error) else { return relay.end(ended) }
        relay.current.disposable = Disposables.create()
        if let end = pause.begin() { relay.end(end) } else { failures.on(.next(failure)) }
      }
      let notifier = notificationHandler(failures.asObservable()).subscribe { event in
        switch event {
        case .next: if pause.isOn { relay.moveOn(orElse: .completed) }
        case .error(let error): if let end = pause.stop(.error(error)) { relay.end(end) }
        case .completed: if let end = pause.stop(.completed) { relay.end(end) }
        }
      }
      relay.moveOn(orElse: .completed)
      return Disposables.create(relay, notifier)
    }
  }
}

/// The time between an error and the next attempt, and the end of the notifier that waits for it.
private final class Pause<Element> {
  private struct State {
    var isOn = false
    var end: Event<Element>?
  }

  private let state = Lock(State())

  var isOn: Bool { state.withLock { $0.isOn } }

  /// Returns the stop event with which the sequence ends instead, where the notifier has ended before.
  func begin() -> Event<Element>? {
    state.withLock { state in
      state.isOn = true
      return state.end
    }
  }

  func end() {
    state.withLock { $0.isOn = false }
  }

  /// Notes the notifier's stop event, and returns it where the sequence ends with it now.
  func stop(_ event: Event<Element>) -> Event<Element>? {
    state.withLock { state in
      state.end = event
      return state.isOn ? event : nil
    }
  }
}
