internal import RxLite

extension SignalProducer {
  /// Forwards only the values that a closure accepts.
  ///
  /// - Parameter isIncluded: returns whether to forward a value.
  /// - Returns: the producer of these values.
  @preconcurrency public func filter(
    _ isIncluded: @escaping @Sendable (Value) -> Bool
  ) -> SignalProducer<Value, Failure> {
    SignalProducer(source: source.filter(isIncluded))
  }

  /// Forwards the first values and then completes, which stops the work.
  ///
  /// - Parameter count: the number of values, 0 or more.
  /// - Returns: the producer of these values.
  public func take(first count: Int) -> SignalProducer<Value, Failure> {
    SignalProducer(source: source.take(max(0, count)))
  }

  /// Starts the work again after an error.
  ///
  /// - Parameter count: the number of further attempts, 0 or more.
  /// - Returns: the producer; it fails if the last attempt does.
  public func retry(upTo count: Int) -> SignalProducer<Value, Failure> {
    // The first attempt counts, too; `Int.max` further ones are never made.
    SignalProducer(source: source.retry(max(0, min(count, Int.max - 1)) + 1))
  }

  /// Calls closures for events, before they are forwarded.
  ///
  /// - Parameters:
  ///   - starting: called before the work starts.
  ///   - started: called after the work has started.
  ///   - event: called with every event.
  ///   - failed: called with the error.
  ///   - completed: called when the work ends without an error.
  ///   - interrupted: called when the work is disposed before its end.
  ///   - terminated: called when the work has ended or is disposed.
  ///   - disposed: called last.
  ///   - value: called with each value.
  /// - Returns: the producer of the same events.
  @preconcurrency public func on(
    starting: (@Sendable () -> Void)? = nil, started: (@Sendable () -> Void)? = nil,
    event: (@Sendable (Event) -> Void)? = nil, failed: (@Sendable (Failure) -> Void)? = nil,
    completed: (@Sendable () -> Void)? = nil, interrupted: (@Sendable () -> Void)? = nil,
    terminated: (@Sendable () -> Void)? = nil, disposed: (@Sendable () -> Void)? = nil,
    value: (@Sendable (Value) -> Void)? = nil
  ) -> SignalProducer<Value, Failure> {
    let source = source
    let observed = Observable<Value>.deferred {
      let end = OneTimeFlag()
      return source.do(
        onNext: {
          event?(.value($0))
          value?($0)
        },
        onError: { error in
          guard end.set() else { return }
          if let error = error as? Failure {
            event?(.failed(error))
            failed?(error)
          }
          terminated?()
        },
        onCompleted: {
          guard end.set() else { return }
          event?(.completed)
          completed?()
          terminated?()
        },
        onSubscribe: starting, onSubscribed: started,
        onDispose: {
          if end.set() {
            event?(.interrupted)
            interrupted?()
            terminated?()
          }
          disposed?()
        })
    }
    return SignalProducer(source: observed)
  }
}
