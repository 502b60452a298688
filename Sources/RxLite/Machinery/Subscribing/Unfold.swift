extension ObservableType {
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
  @inlinable static func unfold<State>(
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
