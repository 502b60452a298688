public import Dispatch

extension InfallibleType {
  /// Keeps the elements that satisfy a predicate.
  @inlinable public func filter(_ predicate: @escaping (Element) -> Bool) -> Infallible<Element> {
    Infallible(asObservable().filter(predicate))
  }

  /// Passes the first elements, then ends.
  ///
  /// - Parameter count: how many; 0 ends at once without subscribing.
  /// - Returns: the shortened sequence.
  /// - Precondition: `count >= 0`.
  @inlinable public func take(_ count: Int) -> Infallible<Element> {
    Infallible(asObservable().take(count))
  }

  /// Passes elements for a while, then completes.
  ///
  /// - Parameters:
  ///   - duration: how long, from the subscription on.
  ///   - scheduler: measures the time; the completion arrives on its thread.
  /// - Returns: the shortened sequence.
  @inlinable public func take(
    for duration: RxTimeInterval, scheduler: any SchedulerType
  ) -> Infallible<Element> {
    Infallible(asObservable().take(for: duration, scheduler: scheduler))
  }

  /// Passes elements until another infallible sends one.
  @inlinable public func take<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
    Infallible(asObservable().take(until: other.asObservable()))
  }

  /// Passes elements until another sequence sends one, or fails, which ends this as well as an element does.
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    // What the elements of the trigger are does not matter, so its error can stand for one.
    let trigger = other.asObservable().map { _ in }.catchAndReturn(())
    return Infallible(asObservable().take(until: trigger))
  }

  /// Passes elements until one satisfies a predicate, then ends.
  ///
  /// - Parameters:
  ///   - predicate: tells whether to end.
  ///   - behavior: whether the element that satisfies it is sent.
  /// - Returns: the shortened sequence.
  @inlinable public func take(
    until predicate: @escaping (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(asObservable().take(until: predicate, behavior: behavior))
  }

  /// Passes elements as long as they satisfy a predicate, then ends.
  ///
  /// - Parameters:
  ///   - predicate: tells whether to go on.
  ///   - behavior: whether the first element that does not satisfy it is sent.
  /// - Returns: the shortened sequence.
  @inlinable public func take(
    while predicate: @escaping (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(asObservable().take(while: predicate, behavior: behavior))
  }

  /// Leaves out elements as long as they satisfy a predicate.
  @inlinable public func skip(while predicate: @escaping (Element) -> Bool) -> Infallible<Element> {
    Infallible(asObservable().skip(while: predicate))
  }

  /// Leaves out elements until another infallible sends one.
  @inlinable public func skip<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
    Infallible(asObservable().skip(until: other.asObservable()))
  }

  /// Leaves out elements until another sequence sends one; where that fails, all are left out.
  @inlinable public func skip<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    let trigger = other.asObservable().map { _ in }.catch { _ in .empty() }
    return Infallible(asObservable().skip(until: trigger))
  }

  /// Lets an element through once nothing has followed it for a while.
  ///
  /// - Parameters:
  ///   - dueTime: how long nothing must follow.
  ///   - scheduler: measures the time.
  /// - Returns: the sequence of the elements that were followed by silence.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
  }

  /// Lets at most one element through in each span of time.
  ///
  /// - Parameters:
  ///   - dueTime: the length of the span, which begins with an element that is let through.
  ///   - latest: whether the last element of a span is sent at its end.
  ///   - scheduler: measures the time.
  /// - Returns: the thinned sequence.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Infallible<Element> {
    Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
  }
}
