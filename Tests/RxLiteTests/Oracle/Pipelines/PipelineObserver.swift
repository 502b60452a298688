import RxLite

/// An observer that records what it receives, and may act from inside a delivery.
final class PipelineObserver {
  let number: Int
  let subscription = SingleAssignmentDisposable()
  private(set) var events: [String] = []

  private let plan: ObserverPlan
  private let sequence: Observable<Int>
  private let run: PipelineRun
  private var elementCount = 0
  private var sentCount = 0

  init(number: Int, plan: ObserverPlan, sequence: Observable<Int>, run: PipelineRun) {
    self.number = number
    self.plan = plan
    self.sequence = sequence
    self.run = run
  }

  func subscribe() {
    run.record("o\(number) subscribe")
    subscription.setDisposable(subscribedSequence())
    run.record("o\(number) subscribed")
  }

  private func subscribedSequence() -> any Disposable {
    switch plan.style {
    case .events: sequence.subscribe { self.receive($0) }
    case .closures:
      sequence.subscribe(
        onNext: { self.receive(.next($0)) }, onError: { self.receive(.error($0)) },
        onCompleted: { self.receive(.completed) }, onDisposed: { self.run.record("o\(self.number) disposed") }
      )
    case .observer: sequence.subscribe(AnyObserver { self.receive($0) })
    }
  }

  private func receive(_ event: Event<Int>) {
    let text = describe(event)
    events.append("\(run.scheduler.clock):\(text)")
    run.record("o\(number) \(text)")
    if case .next = event { elementCount += 1 }
    react(to: event)
    run.record("o\(number) done")
  }

  private func react(to event: Event<Int>) {
    let isStop = event.isStopEvent
    let isChosen = !isStop && elementCount == plan.chosenElement
    switch plan.reaction {
    case .none: break
    case .dispose: if isChosen { subscription.dispose() }
    case .disposeTarget: if isChosen { run.disposeObserver(plan.target) }
    case .subscribe: if isChosen { run.subscribeAnother(plan.style, to: sequence) }
    case .subscribeAtEnd: if isStop { run.subscribeAnother(plan.style, to: sequence) }
    case .send: if isChosen { run.send(.next(plan.value), toSubject: plan.target) }
    case .sendCompletion: if isChosen { run.send(.completed, toSubject: plan.target) }
    case .sendError: if isChosen { run.send(.error(PipelineError(code: 19)), toSubject: plan.target) }
    case .sendAtEnd: if isStop { run.send(.next(plan.value), toSubject: plan.target) }
    case .sendThreeTimes:
      if !isStop, sentCount < 3 {
        sentCount += 1
        run.send(.next(plan.value + sentCount), toSubject: plan.target)
      }
    }
  }
}
