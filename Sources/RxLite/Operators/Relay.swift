/// Follows one sequence after the other; a closure decides, each time one has ended, how to go on.
///
/// Elements pass straight through. The steps run in a loop, never inside each other, so a million sequences that
/// end at once need no deeper stack than one.
@usableFromInline final class Relay<Element>: Disposable {
  @usableFromInline enum Step {
    case follow(Observable<Element>)
    case end(Event<Element>)
    /// Runs the closure, which sees to it that somebody takes a step later.
    case wait(() -> Void)
  }

  // Called by one sequence at a time, and between two of them in the serializer's turn.
  @usableFromInline nonisolated(unsafe) let observer: AnyObserver<Element>
  @usableFromInline nonisolated(unsafe) let next: (Event<Element>) -> Step
  @usableFromInline let serializer = Serializer<Step>()
  @usableFromInline let current = SerialDisposable()

  /// `next` gets the stop event of the sequence that has ended and tells how to go on.
  @inlinable init(_ observer: AnyObserver<Element>, next: @escaping (Event<Element>) -> Step) {
    self.observer = observer
    self.next = next
  }

  @inlinable func start() {
    take(next(.completed))
  }

  @inlinable func take(_ step: Step) {
    serializer.send(step) { step in
      switch step {
      case .wait(let ask): ask()
      case .end(let event): observer.on(event)
      case .follow(let source): follow(source)
      }
    }
  }

  @inlinable func follow(_ source: Observable<Element>) {
    if current.isDisposed { return }
    let subscription = SingleAssignmentDisposable()
    current.disposable = subscription
    Trampoline.run {
      subscription.setDisposable(
        source.source(
          AnyObserver { event in
            if case .next = event {
              self.observer.on(event)
            } else {
              // At once: whoever decides how to go on may take its time.
              subscription.dispose()
              self.take(self.next(event))
            }
          }))
    }
  }

  @usableFromInline func dispose() {
    current.dispose()
  }
}
