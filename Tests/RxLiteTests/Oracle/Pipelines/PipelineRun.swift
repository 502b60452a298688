import RxLite
import RxLiteTesting

/// One run of a pipeline in virtual time, on one thread.
final class PipelineRun {
  /// The number of side effects after which a pipeline counts as endless.
  static let sideEffectLimit = 3_000

  let scheduler = TestScheduler(initialClock: 0)
  /// The hot and cold test sources with their names, in the order of their creation.
  var testSources: [(name: String, source: TestableObservable<Int>)] = []
  /// Send to the subjects of the pipeline.
  var subjectInputs: [(Event<Int>) -> Void] = []
  /// The sequences that `var` refers to, the innermost last.
  var variables: [Observable<Int>] = []
  /// The connections of `connect`.
  var connections: [any Disposable] = []
  /// The object of `withUnretained`.
  let owner = Owner()

  private var observers: [PipelineObserver] = []
  private var sideEffects: [String] = []
  private var identifiers = 0
  private var isEndless = false

  final class Owner {}

  private init() {}

  static func outcome(of pipeline: String) throws -> PipelineOutcome {
    let node = try PipelineNode(parsing: pipeline)
    guard node.name == "case", let root = node.children.first else {
      throw InvalidPipeline(reason: "expected 'case(…)'")
    }
    let run = PipelineRun()
    let sequence = try run.observable(root)
    for observer in node.children.dropFirst() {
      run.schedule(try ObserverPlan(observer), of: sequence)
    }
    return run.finish()
  }

  /// Returns a number that no other closure of the pipeline has.
  func nextIdentifier() -> Int {
    identifiers += 1
    return identifiers
  }

  func record(_ sideEffect: String) {
    sideEffects.append("\(scheduler.clock) \(sideEffect)")
    if sideEffects.count > Self.sideEffectLimit, !isEndless {
      isEndless = true
      scheduler.stop()
      observers.forEach { $0.subscription.dispose() }
    }
  }

  /// Sends an event to the subject with a number, or to none if the pipeline has no subjects.
  func send(_ event: Event<Int>, toSubject number: Int) {
    if !subjectInputs.isEmpty { subjectInputs[number % subjectInputs.count](event) }
  }

  /// Disposes the observer with a number, or none if the pipeline has no observers yet.
  func disposeObserver(_ number: Int) {
    if !observers.isEmpty { observers[number % observers.count].subscription.dispose() }
  }

  @discardableResult
  func subscribe(_ plan: ObserverPlan, to sequence: Observable<Int>) -> any Disposable {
    let observer = PipelineObserver(number: observers.count, plan: plan, sequence: sequence, run: self)
    observers.append(observer)
    observer.subscribe()
    return observer.subscription
  }

  /// Subscribes an observer from inside a delivery, unless the pipeline has six of them.
  func subscribeAnother(_ style: SubscriptionStyle, to sequence: Observable<Int>) {
    if observers.count < 6 { subscribe(ObserverPlan(style: style), to: sequence) }
  }

  private func schedule(_ plan: ObserverPlan, of sequence: Observable<Int>) {
    var subscription: (any Disposable)?
    scheduler.scheduleAt(plan.subscribeTime) { subscription = self.subscribe(plan, to: sequence) }
    guard let disposeTime = plan.disposeTime else { return }
    scheduler.scheduleAt(disposeTime) {
      self.record("dispose")
      subscription?.dispose()
      subscription = nil
    }
  }

  /// Lets the time pass, and releases what the closures of the pipeline share.
  private func finish() -> PipelineOutcome {
    scheduler.scheduleAt(800) {
      self.record("dispose all")
      self.observers.forEach { $0.subscription.dispose() }
      self.connections.forEach { $0.dispose() }
    }
    scheduler.scheduleAt(2_000) {
      self.record("end")
      self.scheduler.stop()
    }
    scheduler.start()
    defer { (observers, connections, subjectInputs, testSources) = ([], [], [], []) }
    return isEndless ? .endless : outcome
  }

  private var outcome: PipelineOutcome {
    PipelineOutcome(
      events: observers.map { "o\($0.number): " + $0.events.joined(separator: " ") }.joined(separator: "; "),
      subscriptions: testSources.enumerated().map { number, test in
        "\(test.name)\(number): " + test.source.subscriptions.map(describe).joined(separator: " ")
      }.joined(separator: "; "),
      sideEffects: sideEffects)
  }

  private func describe(_ subscription: Subscription) -> String {
    let end = subscription.unsubscribe == .max ? "" : "\(subscription.unsubscribe)"
    return "\(subscription.subscribe)-\(end)"
  }
}
