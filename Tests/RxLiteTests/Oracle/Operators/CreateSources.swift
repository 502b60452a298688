import RxLite
import RxLiteTesting

extension OperatorCall {
  /// Sequences whose closure sends events: three numbers each, which are the time after the subscription, the
  /// kind and the value.
  static let closures: [String: Operator] = [
    "create": { call in
      let name = "create\(call.run.nextIdentifier())"
      let events = try call.recordedEvents()
      return .create { observer in
        call.run.record("\(name)+")
        for event in events { call.perform(after: event.time) { observer.on(event.value) } }
        return Disposables.create { call.run.record("\(name)-") }
      }
    },
    "sCreate": { call in
      Single<Int>.create { observer in
        for index in [0, 3] {
          let result = call.singleEvent(index)
          call.perform(after: call[index]) { observer(result) }
        }
        return Disposables.create { call.run.record("sCreate-") }
      }
      .asObservable()
    },
    "mCreate": { call in
      Maybe<Int>.create { observer in
        let result = call.maybeEvent
        call.perform(after: call[0]) { observer(result) }
        return Disposables.create { call.run.record("mCreate-") }
      }
      .asObservable()
    },
    "cCreate": { call in
      Completable.create { observer in
        let result = call.completableEvent
        call.perform(after: call[0]) { observer(result) }
        return Disposables.create { call.run.record("cCreate-") }
      }
      .end
    },
  ]

  /// Calls a closure after a time, or at once if the time is 0.
  private func perform(after time: Int, _ action: @escaping () -> Void) {
    if time == 0 { action() } else { scheduler.scheduleAt(scheduler.clock + time, action: action) }
  }

  private func singleEvent(_ index: Int) -> SingleEvent<Int> {
    self[index + 1] == 0 ? .success(self[index + 2]) : .failure(PipelineError(code: self[index + 2]))
  }

  private var maybeEvent: MaybeEvent<Int> {
    switch self[1] {
    case 0: .success(self[2])
    case 1: .completed
    default: .error(PipelineError(code: self[2]))
    }
  }

  private var completableEvent: CompletableEvent {
    self[1] == 0 ? .completed : .error(PipelineError(code: self[2]))
  }
}
