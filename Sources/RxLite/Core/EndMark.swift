/// Whether an operator's sequence has ended.
///
/// An operator that ends a sequence by itself has to drop what its source sends after that: a source that sends while
/// it is being subscribed cannot be disposed yet, and goes on.
@usableFromInline final class EndMark {
  // A captured `var` would be checked for exclusive access at each event.
  @exclusivity(unchecked) @usableFromInline var isReached = false

  @inlinable init() {}

  /// Hands on what a closure makes of an element, up to the first stop event.
  ///
  /// - Parameters:
  ///   - event: what the source has sent.
  ///   - observer: receives the result.
  ///   - transform: makes the result, `nil` for none; what it throws ends the sequence with that error.
  // Inlined, so that the operator's own closure is the only one to be called and to be kept in memory.
  @inlinable @inline(__always) func pass<Element, Result>(
    _ event: Event<Element>, to observer: AnyObserver<Result>, _ transform: (Element) throws -> Result?
  ) {
    if isReached { return }
    guard case .next(let element) = event else { return stop(event, observer) }
    do {
      guard let result = try transform(element) else { return }
      observer.on(.next(result))
    } catch {
      fail(error, observer)
    }
  }

  // Apart, since the way of elements is short where it need not keep what the ends use.
  @inlinable @inline(never) func stop<Element, Result>(
    _ event: Event<Element>, _ observer: AnyObserver<Result>
  ) {
    isReached = true
    switch event {
    case .next: break
    case .error(let error): observer.on(.error(error))
    case .completed: observer.on(.completed)
    }
  }

  @inlinable @inline(never) func fail<Result>(_ error: any Error, _ observer: AnyObserver<Result>) {
    isReached = true
    observer.on(.error(error))
  }
}

/// What an operator remembers between events: a captured `var` would be checked for exclusive access at each.
@usableFromInline final class Box<Value> {
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable init(_ value: Value) {
    self.value = value
  }
}
