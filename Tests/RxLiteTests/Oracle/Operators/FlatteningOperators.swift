import RxLite

extension OperatorCall {
  /// Operators that choose one of the other sources for each element of the first.
  static let flattening: [String: Operator] = [
    "flatMap": { call in
      let choose = try call.innerSequence()
      return call.source.flatMap(choose)
    },
    "flatMapFirst": { call in
      let choose = try call.innerSequence()
      return call.source.flatMapFirst(choose)
    },
    "flatMapLatest": { call in
      let choose = try call.innerSequence()
      return call.source.flatMapLatest(choose)
    },
    "concatMap": { call in
      let choose = try call.innerSequence()
      return call.source.concatMap(choose)
    },
    "mergeInner": { try $0.innerSequences().merge() },
    "mergeMax": { try $0.innerSequences().merge(maxConcurrent: $0[2]) },
    "concatInner": { try $0.innerSequences().concat() },
    "switchLatest": { try $0.innerSequences().switchLatest() },
  ]

  private func innerSequences() throws -> Observable<Observable<Int>> {
    source.map(try innerSequence())
  }

  /// Returns the closure that chooses an inner sequence by the function of the first number.
  ///
  /// If the second number is 0, the elements of the inner sequence show which element has chosen it.
  private func innerSequence() throws -> (Int) throws -> Observable<Int> {
    let function = try function(0)
    let (sources, isUnmarked) = (sources.dropFirst(), self[1] == 1)
    return { element in
      let key = try function(element)
      let chosen = sources[1 + abs(key) % sources.count]
      return isUnmarked ? chosen : chosen.map { pair($0, key) }
    }
  }
}
