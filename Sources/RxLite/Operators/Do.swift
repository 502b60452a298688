extension ObservableType {
  /// Calls closures for the events without changing them; an error that a closure throws ends the sequence.
  ///
  /// - Parameters:
  ///   - onNext: called with each element, before it is delivered.
  ///   - afterNext: called with each element, after it is delivered.
  ///   - onError: called with the error, before it is delivered.
  ///   - afterError: called with the error, after it is delivered; an error that it throws is ignored.
  ///   - onCompleted: called on completion, before it is delivered.
  ///   - afterCompleted: called on completion, after it is delivered; an error that it throws is ignored.
  ///   - onSubscribe: called before the source is subscribed to.
  ///   - onSubscribed: called after the source has been subscribed to.
  ///   - onDispose: called when the subscription ends, for any reason, after everything upstream has been
  ///     disposed. If the sequence ends, it is called after `afterError` or `afterCompleted`.
  /// - Returns: the same sequence.
  @preconcurrency @inlinable public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil, afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var hasEnded = false
      // Disposed after the stop event, even if the observer holds that back, and not before `afterCompleted`
      // and `afterError`.
      let subscription = PostponedDisposable()
      func end(_ event: Event<Element>, _ after: (() throws -> Void)?) {
        if let after {
          subscription.postpone {
            observer.on(event)
            try? after()
          }
        } else {
          observer.on(event)
        }
        subscription.dispose()
      }
      onSubscribe?()
      let upstream = source(
        observer.calling { event in
          if hasEnded { return }
          hasEnded = event.isStopEvent
          do {
            switch event {
            case .next(let element):
              try onNext?(element)
              observer.on(event)
              try afterNext?(element)
            case .error(let error):
              try onError?(error)
              end(event, afterError.map { afterError in { try afterError(error) } })
            case .completed:
              try onCompleted?()
              end(event, afterCompleted)
            }
          } catch {
            hasEnded = true
            end(.error(error), nil)
          }
        })
      onSubscribed?()
      subscription.setDisposable(
        onDispose.map { onDispose in
          Disposables.create {
            upstream.dispose()
            onDispose()
          }
        } ?? upstream)
      return subscription
    }
  }
}
