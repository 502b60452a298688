import RxLite

extension OperatorCall {
  /// Operators that select elements by their position.
  static let selection: [String: Operator] = [
    "take": { $0.source.take($0[0]) },
    "takeLast": { $0.source.takeLast($0[0]) },
    "skip": { $0.source.skip($0[0]) },
    "at": { $0.source.element(at: $0[0]) },
    "first": { $0.source.first().map { $0 ?? -1 }.asObservable() },
    "single": { $0.source.single() },
    "ignore": { $0.source.ignoreElements().ended },
    "startWith": { $0.source.startWith($0[0], $0[1]) },
    "ifEmptyD": { $0.source.ifEmpty(default: $0[0]) },
    "ifEmptyS": { $0.source.ifEmpty(switchTo: $0.other) },
    "takeUntil": { $0.source.take(until: $0.other) },
    "skipUntil": { $0.source.skip(until: $0.other) },
  ]

  /// Operators that select elements with a predicate.
  static let filtering: [String: Operator] = [
    "filter": { call in
      let predicate = try call.predicate(0)
      return call.source.filter { try predicate($0) }
    },
    "takeWhile": { call in
      let predicate = try call.predicate(0)
      return call.source.take(while: { try predicate($0) }, behavior: call[1] == 0 ? .exclusive : .inclusive)
    },
    "takeUntilP": { call in
      let predicate = try call.predicate(0)
      return call.source.take(until: { try predicate($0) }, behavior: call[1] == 0 ? .exclusive : .inclusive)
    },
    "skipWhile": { call in
      let predicate = try call.predicate(0)
      return call.source.skip(while: { try predicate($0) })
    },
    "singleP": { call in
      let predicate = try call.predicate(0)
      return call.source.single { try predicate($0) }
    },
    "duc": distinctUntilChanged,
  ]

  private enum Distinction: Int {
    case equal, comparer, key, keyAndComparer, keyPath
  }

  /// The second number is a predicate for the sum of two elements, or a function that returns the key.
  private static func distinctUntilChanged(_ call: OperatorCall) throws -> Observable<Int> {
    let source = call.source
    switch try call.parameter(0, Distinction.self) {
    case .equal: return source.distinctUntilChanged()
    case .comparer:
      let predicate = try call.predicate(1)
      return source.distinctUntilChanged { (last: Int, element: Int) -> Bool in try predicate(last + element)
      }
    case .key:
      let function = try call.function(1)
      return source.distinctUntilChanged { (element: Int) -> Int in try function(element) }
    case .keyAndComparer:
      let predicate = try call.predicate(1)
      return source.distinctUntilChanged(
        { (element: Int) -> Int in element % 3 },
        comparer: { (last: Int, key: Int) -> Bool in try predicate(last + key) })
    case .keyPath: return source.distinctUntilChanged(at: \.byteSwapped)
    }
  }
}
