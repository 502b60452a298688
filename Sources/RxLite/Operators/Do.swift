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
  ///     disposed. After it, only `afterNext`, `afterError` or `afterCompleted` of the event that is being
  ///     delivered is called.
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
      let subscription = DoSubscription()
      onSubscribe?()
      let upstream = source(
        observer.calling { event in
          // A source may send its last element and the stop event together, and be disposed in between.
          guard subscription.isOpen else { return }
          if event.isStopEvent { subscription.set(.closed) }
          do {
            switch event {
            case .next(let element):
              try onNext?(element)
              guard subscription.isOpen else { return }
              observer.on(event)
              try afterNext?(element)
            case .error(let error):
              try onError?(error)
              observer.on(event)
              try? afterError?(error)
            case .completed:
              try onCompleted?()
              observer.on(event)
              try? afterCompleted?()
            }
          } catch {
            if !subscription.isSet(.ended) {
              subscription.set(.closed)
              observer.on(.error(error))
            }
          }
          // Disposed here too, because the observer may hold the stop event back.
          if !subscription.isOpen { subscription.dispose() }
        })
      onSubscribed?()
      subscription.assign(
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

/// The subscription of `do` to its source.
///
/// `Sendable` because of its base class.
@usableFromInline final class DoSubscription: SingleAssignmentBase, Disposable, @unchecked Sendable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  @inlinable init() { super.init() }

  /// Whether neither a stop event nor a disposal has ended the sequence.
  @inlinable var isOpen: Bool { isClear(of: [.ended, .closed]) }

  @usableFromInline func dispose() {
    disposeContent()
  }
}
