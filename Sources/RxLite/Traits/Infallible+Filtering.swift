public import Dispatch

extension InfallibleType {
  /// Keeps the elements that satisfy a predicate.
  @preconcurrency @inlinable public func filter(_ predicate: @escaping @Sendable (Element) -> Bool)
    -> Infallible<Element>
  {
    Infallible(asObservable().filter(predicate))
  }

  /// Forwards the first elements, then completes.
  ///
  /// - Parameter count: the number of elements; 0 completes at once without subscribing.
  /// - Returns: the shortened sequence.
  /// - Precondition: `count >= 0`.
  @inlinable public func take(_ count: Int) -> Infallible<Element> {
    Infallible(asObservable().take(count))
  }

  /// Forwards elements for a time, then completes.
  ///
  /// - Parameters:
  ///   - duration: the time, from the subscription on.
  ///   - scheduler: measures the time; the completion arrives on its thread.
  /// - Returns: the shortened sequence.
  @inlinable public func take(
    for duration: RxTimeInterval, scheduler: any SchedulerType
  ) -> Infallible<Element> {
    Infallible(asObservable().take(for: duration, scheduler: scheduler))
  }

  /// Forwards elements until another infallible sends an element.
  @inlinable public func take<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
    Infallible(asObservable().take(until: other.asObservable()))
  }

  /// Forwards elements until another sequence sends an element or fails; an error counts as an element.
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    // The elements of the trigger do not matter, so an element can replace its error.
    let trigger = other.asObservable().map { _ in }.catchAndReturn(())
    return Infallible(asObservable().take(until: trigger))
  }

  /// Forwards elements until one satisfies a predicate, then completes.
  ///
  /// - Parameters:
  ///   - predicate: returns `true` to complete.
  ///   - behavior: whether the element that satisfies the predicate is sent.
  /// - Returns: the shortened sequence.
  @preconcurrency @inlinable public func take(
    until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(asObservable().take(until: predicate, behavior: behavior))
  }

  /// Forwards elements while they satisfy a predicate, then completes.
  ///
  /// - Parameters:
  ///   - predicate: returns `true` to continue.
  ///   - behavior: whether the first element that does not satisfy the predicate is sent.
  /// - Returns: the shortened sequence.
  @preconcurrency @inlinable public func take(
    while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(asObservable().take(while: predicate, behavior: behavior))
  }

  /// Drops elements while they satisfy a predicate.
  @preconcurrency @inlinable public func skip(while predicate: @escaping @Sendable (Element) -> Bool)
    -> Infallible<Element>
  {
    Infallible(asObservable().skip(while: predicate))
  }

  /// Drops elements until another infallible sends an element.
  @inlinable public func skip<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
    Infallible(asObservable().skip(until: other.asObservable()))
  }

  /// Drops elements until another sequence sends an element; if it fails first, all elements are dropped.
  @inlinable public func skip<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    let trigger = other.asObservable().map { _ in }.catch { _ in .empty() }
    return Infallible(asObservable().skip(until: trigger))
  }

  /// Forwards an element when no other has followed it for a time.
  ///
  /// - Parameters:
  ///   - dueTime: the time without another element.
  ///   - scheduler: measures the time.
  /// - Returns: the debounced sequence.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
  }

  /// Forwards at most one element in each time span.
  ///
  /// The first element is forwarded at once, on the thread on which it arrives. The latest of the elements
  /// that follow within the span is held and forwarded at the end of the span, on the scheduler's thread, or
  /// on the source's thread if that is still delivering. Completion waits for the held element.
  ///
  /// - Parameters:
  ///   - dueTime: the span, measured from the end of the delivery of an element.
  ///   - latest: whether the latest element is forwarded at the end of the span; otherwise nothing is held.
  ///   - scheduler: measures the time.
  /// - Returns: the throttled sequence.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Infallible<Element> {
    Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
  }
}
