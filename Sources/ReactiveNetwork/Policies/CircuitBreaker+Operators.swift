import ReactiveNetworkLock
public import NetworkCore
public import RxLite

extension CircuitBreaker: ReactiveCompatible {}

extension Reactive where Base: CircuitBreaker {
  /// The current state of the breaker, and then each new state.
  ///
  /// The states are delivered in order, on the threads whose calls change them. The sequence keeps the
  /// breaker alive and does not end.
  public var state: Observable<CircuitBreaker.State> {
    let breaker = base
    return Observable.create { observer in
      let token = breaker.observeState { observer.onNext($0) }
      return Disposables.create { withExtendedLifetime(breaker) { token.cancel() } }
    }
  }
}

extension ObservableType {
  /// Makes each subscription a call of a circuit breaker.
  ///
  /// ```swift
  /// let response = provider.rx.request(.zen)
  ///   .circuitBreaker(breaker)
  ///   .retry(backoff: .exponential(), maxAttempts: 3)
  /// ```
  ///
  /// If the breaker refuses the call, the source is not subscribed, and the sequence fails with a
  /// `NetworkError` whose `transferError` is `.circuitOpen`, as a request does with the transport's
  /// `circuitBreaker(_:)`. Otherwise the breaker counts how the source ends. An error counts by the breaker's
  /// `isFailure`, and a `Response` with a status of 400 or more counts like the error that
  /// `filterSuccessfulStatusCodes()` makes of it. Anything else counts as a success, except a transfer that could not
  /// be sent. A dispose before the first element does not count, unless the call is slow: so does the dispose by
  /// `requestTimeout(_:)` outside of this operator. A dispose after an element, except a progress without a
  /// response, counts as the end.
  ///
  /// If a sequence tests whether the breaker may close, its first element counts, except a progress without a
  /// response. For a sequence whose first element may be hours away, such as `events`, use the transport's
  /// `circuitBreaker(_:)`, for which the head of the response counts.
  ///
  /// Put it before `retry`, so that each attempt is a call. A refusal is not retried.
  ///
  /// - Parameter breaker: the breaker, which other sequences may share.
  /// - Returns: the sequence.
  public func circuitBreaker(_ breaker: CircuitBreaker) -> Observable<Element> {
    let source = asObservable()
    return Observable.deferred {
      let call = ObservedBreakerCall(try breaker.beginRequest())
      return source.do(
        onNext: { call.record($0) }, onError: { call.fail($0) }, onCompleted: { call.end(isDisposed: false) },
        onDispose: { call.end(isDisposed: true) })
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Makes each subscription a call of a circuit breaker.
  ///
  /// It behaves like the operator of observables.
  ///
  /// - Parameter breaker: the breaker, which other sequences may share.
  /// - Returns: the single; it fails with `TransferError.circuitOpen` in a `NetworkError` if the breaker refuses the
  ///   call.
  public func circuitBreaker(_ breaker: CircuitBreaker) -> Single<Element> {
    asObservable().circuitBreaker(breaker).asSingle()
  }
}

extension CircuitBreaker {
  /// Begins a call; throws a refusal as the error of a request.
  fileprivate func beginRequest() throws(NetworkError) -> Call {
    do throws(TransferError) { return try begin() } catch { throw .underlying(error, nil) }
  }
}

/// A call of a breaker, with the elements of its sequence that affect how the call counts.
private final class ObservedBreakerCall: Sendable {
  private struct State {
    var hasElement = false
    var refusal: NetworkError?
  }

  private let call: CircuitBreaker.Call
  private let state = Lock(State())

  init(_ call: CircuitBreaker.Call) {
    self.call = call
  }

  func record(_ element: Any) {
    let progress = element as? ProgressResponse
    let response = progress?.response ?? element as? Response
    let refusal = response.flatMap { $0.statusCode >= 400 ? NetworkError.statusCode($0) : nil }
    let isResponse = progress == nil || response != nil
    let isFirst = state.withLock { state in
      defer { state.hasElement = state.hasElement || isResponse }
      state.refusal = refusal ?? state.refusal
      return isResponse && !state.hasElement
    }
    if isFirst { call.respond(refusal) }
  }

  func fail(_ error: any Error) { call.fail(error) }

  func end(isDisposed: Bool) {
    let state = state.withLock { $0 }
    if let refusal = state.refusal {
      call.fail(refusal)
    } else if isDisposed, !state.hasElement {
      call.cancel()
    } else {
      call.succeed()
    }
  }
}
