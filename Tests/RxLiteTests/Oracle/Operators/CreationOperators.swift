import RxLite

extension OperatorCall {
  static let creation: [String: Operator] = [
    "just": { .just($0[0]) },
    "of": { .of($0[0], $0[1], $0[2]) },
    "from": { .from($0.numbers) },
    "seq": { .from(AnySequence($0.numbers)) },
    "empty": { _ in .empty() },
    "never": { _ in .never() },
    "error": { .error(PipelineError(code: $0[0])) },
    "range": { .range(start: $0[0], count: $0[1]) },
    "rep": { .repeatElement($0[0]).take($0[1]) },
    "opt": { .from(optional: $0.optionalElement) },
    "gen": { call in
      let function = try call.function(2)
      return .generate(
        initialState: call[0], condition: { try function.condition($0, limit: call[1]) },
        iterate: function.increment)
    },
  ]

  static let creationOnScheduler: [String: Operator] = [
    "justS": { .just($0[0], scheduler: $0.scheduler) },
    "fromS": { .from($0.numbers, scheduler: $0.scheduler) },
    "seqS": { .from(AnySequence($0.numbers), scheduler: $0.scheduler) },
    "rangeS": { .range(start: $0[0], count: $0[1], scheduler: $0.scheduler) },
    "repS": { .repeatElement($0[0], scheduler: $0.scheduler).take($0[1]) },
    "optS": { .from(optional: $0.optionalElement, scheduler: $0.scheduler) },
    "genS": { call in
      let function = try call.function(2)
      return .generate(
        initialState: call[0], condition: { try function.condition($0, limit: call[1]) },
        scheduler: call.scheduler, iterate: function.increment)
    },
    "timer": { .timer($0.seconds(0), scheduler: $0.scheduler) },
    "timerP": { .timer($0.seconds(0), period: $0.seconds(1), scheduler: $0.scheduler) },
    "interval": { .interval($0.seconds(0), scheduler: $0.scheduler) },
  ]

  private var optionalElement: Int? { self[0] == 0 ? nil : self[1] }
}

/// `generate` counts upwards; of its function, only the failures take effect.
extension Function {
  fileprivate func condition(_ state: Int, limit: Int) throws -> Bool {
    if self == .failForOdd { _ = try Predicate.failForMultipleOfThree(state) }
    return state < limit
  }

  fileprivate func increment(_ state: Int) throws -> Int {
    if self == .failForThreeModuloFour { _ = try self(state) }
    return state + 1
  }
}
