extension ObservableType {
  /// Returns a sequence of given elements.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the sequence.
  @inlinable public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    from(elements, scheduler: scheduler)
  }

  /// Returns a sequence of an array's elements.
  ///
  /// - Parameters:
  ///   - array: the elements.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the sequence.
  @inlinable public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    steps(array.makeIterator(), on: scheduler, isFinite: true) { $0.next() }
  }

  /// Returns a sequence of another sequence's elements.
  ///
  /// - Parameters:
  ///   - sequence: the elements, iterated again for each subscription.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the sequence.
  @inlinable public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Elements.Element == Element {
    DeferredObservable {
      steps(sequence.makeIterator(), on: scheduler, isFinite: sequence is any Collection) { $0.next() }
    }
  }

  /// Returns a sequence of an optional's element, which is empty if the optional is `nil`.
  @inlinable public static func from(optional: Element?) -> Observable<Element> {
    optional.map(Observable.just) ?? .empty()
  }

  /// Returns a sequence of an optional's element, which is sent on a scheduler.
  public static func from(
    optional: Element?, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> {
    from(optional.map { [$0] } ?? [], scheduler: scheduler)
  }

  /// Sends the elements that repeated calls of `next` return, one per step, until it returns `nil`.
  ///
  /// `CurrentThreadScheduler` runs the steps in a loop while no other work is queued on the thread. Any other
  /// scheduler that runs actions at once runs the first step during the subscription, and all steps if the
  /// sequence is finite.
  ///
  /// - Parameters:
  ///   - initial: the initial state of each subscription.
  ///   - scheduler: runs the steps.
  ///   - isFinite: whether the sequence ends by itself. Otherwise the subscription has to return before all
  ///     steps have run, so that it can be disposed.
  ///   - next: updates the state and returns an element, or `nil` at the end.
  /// - Returns: the sequence.
  @inlinable static func steps<State>(
    _ initial: State, on scheduler: any ImmediateSchedulerType, isFinite: @autoclosure @escaping () -> Bool,
    next: @escaping (inout State) throws -> Element?
  ) -> Observable<Element> {
    Observable { observer in
      let state = Box(initial)
      /// Runs a step, and returns `true` if another one follows.
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
