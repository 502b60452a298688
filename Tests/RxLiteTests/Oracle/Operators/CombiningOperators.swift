import RxLite

extension OperatorCall {
  static let combination: [String: Operator] = [
    "cl2": { .combineLatest($0.source, $0.other, resultSelector: try $0.function(0).pair) },
    "cl3": { .combineLatest($0.source, $0.other, $0.sources[2]) { digest([$0, $1, $2]) } },
    "cl4": {
      .combineLatest($0.source, $0.other, $0.sources[2], $0.sources[3]) { digest([$0, $1, $2, $3]) }
    },
    "clN": { .combineLatest($0.sources, resultSelector: try $0.function(0).list) },
    "zip2": { .zip($0.source, $0.other, resultSelector: try $0.function(0).pair) },
    "zip3": { .zip($0.source, $0.other, $0.sources[2]) { digest([$0, $1, $2]) } },
    "zip4": { .zip($0.source, $0.other, $0.sources[2], $0.sources[3]) { digest([$0, $1, $2, $3]) } },
    "zipN": { .zip($0.sources, resultSelector: try $0.function(0).list) },
    "wlf": { call in
      let function = try call.function(1)
      return call[0] == 0
        ? call.source.withLatestFrom(call.other)
        : call.source.withLatestFrom(call.other, resultSelector: function.pair)
    },
    "sample": { call in
      call[0] == 0 ? call.source.sample(call.other) : call.source.sample(call.other, defaultValue: 77)
    },
    "merge": { .merge($0.sources) },
    "amb": { .amb($0.sources) },
    "amb2": { $0.source.amb($0.other) },
  ]

  static let continuation: [String: Operator] = [
    "concat": { .concat($0.sources) },
    "concat2": { $0.source.concat($0.other) },
    "concatSeq": { .concat(AnySequence($0.sources)) },
  ]
}
