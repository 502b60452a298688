/// Forwards the first report of a trait's `create` closure, as one or two events, unless it was disposed.
///
/// `Sendable` because of its base class and the reason beside the observer.
@usableFromInline
final class SingleResultObserver<Element>: SingleAssignmentBase, Disposable, @unchecked Sendable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  // Belongs to the thread that sets the flag `closed`. Released at the end, because user code may keep the
  // closure that reports.
  @usableFromInline var observer: AnyObserver<Element>?

  @inlinable init(_ observer: AnyObserver<Element>) {
    self.observer = observer
  }

  @inlinable func send(_ event: SingleEvent<Element>) {
    switch event {
    case .success(let element): sendLast(element)
    case .failure(let error): sendEnd(.error(error))
    }
  }

  @inlinable func send(_ event: MaybeEvent<Element>) {
    switch event {
    case .success(let element): sendLast(element)
    case .error(let error): sendEnd(.error(error))
    case .completed: sendEnd(.completed)
    }
  }

  @inlinable func send(_ event: CompletableEvent) {
    switch event {
    case .error(let error): sendEnd(.error(error))
    case .completed: sendEnd(.completed)
    }
  }

  @inlinable func sendLast(_ element: Element) {
    guard close(), let observer = observer.take() else { return }
    observer.on(.next(element))
    observer.on(.completed)
    // Disposed here, because the consumer may hold back the stop event and keep the subscription until then.
    disposeContent()
  }

  @inlinable func sendEnd(_ event: Event<Element>) {
    guard close(), let observer = observer.take() else { return }
    observer.on(event)
    disposeContent()
  }

  /// Ignores further reports; returns `true` if this is the first call.
  @inlinable func close() -> Bool {
    !set(.closed).contains(.closed)
  }

  @usableFromInline func dispose() {
    guard let former = end() else { return }
    disposeContent(after: former)
    if !former.contains(.closed) { observer = nil }
  }
}
