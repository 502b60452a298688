import RxLite

extension OperatorCall {
  static let transformation: [String: Operator] = [
    "map": { call in
      let function = try call.function(0)
      return call.source.map { try function($0) }
    },
    "cmap": { call in
      let function = try call.function(0)
      return call.source.compactMap(function.oddResult)
    },
    "scan": { call in
      let function = try call.function(0)
      return call.source.scan(call[1], accumulator: function.added)
    },
    "scanInto": { call in
      let function = try call.function(0)
      return call.source.scan(into: call[1]) { $0 = try function.added(to: $0, $1) }
    },
    "reduce": { call in
      let function = try call.function(0)
      return call.source.reduce(call[1], accumulator: function.added)
    },
    "reduceM": { call in
      let function = try call.function(0)
      return call.source.reduce(call[1], accumulator: { bounded($0 + $1) }, mapResult: { try function($0) })
    },
    "enum": { $0.source.enumerated().map { pair($0.index, $0.element) } },
    "toArray": { $0.source.toArray().map(digest).asObservable() },
    "mat": { $0.source.materialize().map { $0.element ?? ($0.error == nil ? 800 : 801) } },
    "matdemat": { $0.source.materialize().dematerialize() },
    "demat": { $0.source.map(event).dematerialize() },
    "unretained": { $0.source.withUnretained($0.run.owner).map { $0.1 } },
    "asObs": { $0.source.asObservable() },
  ]

  private static func event(_ element: Int) -> Event<Int> {
    if element % 5 == 4 { return .completed }
    return element % 7 == 6 ? .error(PipelineError(code: 6)) : .next(element)
  }
}
