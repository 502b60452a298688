extension ObservableType {
  /// A sequence of given elements.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - scheduler: sends each element in a step of its own.
  /// - Returns: the sequence.
  @inlinable public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    from(elements, scheduler: scheduler)
  }

  /// A sequence of an array's elements.
  ///
  /// - Parameters:
  ///   - array: the elements.
  ///   - scheduler: sends each element in a step of its own.
  /// - Returns: the sequence.
  @inlinable public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    steps(array.makeIterator(), on: scheduler, isFinite: true) { $0.next() }
  }

  /// A sequence of another sequence's elements.
  ///
  /// - Parameters:
  ///   - sequence: the elements; iterated anew for each subscription.
  ///   - scheduler: sends each element in a step of its own.
  /// - Returns: the sequence.
  @inlinable public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Elements.Element == Element {
    deferred {
      steps(sequence.makeIterator(), on: scheduler, isFinite: sequence is any Collection) { $0.next() }
    }
  }

  /// A sequence of an optional's element, empty where there is none.
  @inlinable public static func from(optional: Element?) -> Observable<Element> {
    optional.map(Observable.just) ?? .empty()
  }

  /// A sequence of an optional's element, sent on a scheduler.
  public static func from(
    optional: Element?, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> {
    from(optional.map { [$0] } ?? [], scheduler: scheduler)
  }

  /// Sends what `next` makes of a state, one element a step, until it makes none.
  ///
  /// On the current thread, steps follow each other in a loop as long as nothing else waits for its turn there. Any other
  /// scheduler that runs a step at once gets the first one during the subscription, and with a finite sequence all of them.
  ///
  /// - Parameters:
  ///   - initial: the state of each subscription at first.
  ///   - scheduler: runs the steps.
  ///   - isFinite: whether the sequence ends by itself; one that may not is complete only when it can be disposed.
  ///   - next: makes an element, or `nil` at the end.
  /// - Returns: the sequence.
  @inlinable static func steps<State>(
    _ initial: State, on scheduler: any ImmediateSchedulerType, isFinite: @autoclosure @escaping () -> Bool,
    next: @escaping (inout State) throws -> Element?
  ) -> Observable<Element> {
    Observable { observer in
      let state = Box(initial)
      /// Whether another step follows.
      func step() -> Bool {
        do {
          guard let element = try next(&state.value) else {
            observer.on(.completed)
            return false
          }
          observer.on(.next(element))
          return true
        } catch {
          observer.on(.error(error))
          return false
        }
      }
      guard scheduler is CurrentThreadScheduler else {
        return scheduler.scheduleRecursive((), yields: !isFinite()) { _, recurse in if step() { recurse(()) }
        }
      }
      let isDisposed = BooleanDisposable()
      Trampoline.enqueueSteps { !isDisposed.isDisposed && step() }
      return isDisposed
    }
  }
}
