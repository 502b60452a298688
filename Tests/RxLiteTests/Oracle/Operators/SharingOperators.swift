import RxLite
import RxLiteTesting

extension OperatorCall {
  static let sharing: [String: Operator] = [
    "share": { $0.source.share() },
    "shareR": { $0.source.share(replay: $0[0], scope: $0[1] == 0 ? .whileConnected : .forever) },
    "refCount": { call in
      let multicasting: Multicasting = try call.parameter(0)
      return multicasting(call.source, number: call[1]).refCount()
    },
    "connect": connect,
    "multicastSel": multicast,
  ]

  /// `connect[multicasting,number,connect time,disconnect time,second connect time]`, the last of which is 0 if
  /// there is no second connection.
  private static func connect(_ call: OperatorCall) throws -> Observable<Int> {
    let multicasting: Multicasting = try call.parameter(0)
    let (run, connectable) = (call.run, multicasting(call.source, number: call[1]))
    var connection: (any Disposable)?
    run.scheduler.scheduleAt(call[2]) {
      let first = connectable.connect()
      connection = first
      run.connections.append(first)
    }
    run.scheduler.scheduleAt(call[3]) { connection?.dispose() }
    if call[4] > 0 {
      run.scheduler.scheduleAt(call[4]) { run.connections.append(connectable.connect()) }
    }
    return connectable
  }

  private enum SelectorSubject: Int {
    case publish, replay, behavior
  }

  private static func multicast(_ call: OperatorCall) throws -> Observable<Int> {
    let combination: Combination = try call.parameter(0)
    switch try call.parameter(1, SelectorSubject.self) {
    case .publish:
      return call.source.multicast({ PublishSubject<Int>() }) { shared in
        combination(shared, shared.map { bounded($0 + 5) })
      }
    case .replay:
      return call.source.multicast({ ReplaySubject<Int>.create(bufferSize: 1) }) { shared in
        combination(shared, shared.map { bounded($0 + 5) })
      }
    case .behavior:
      return call.source.multicast({ BehaviorSubject(value: 3) }) { shared in
        combination(shared, shared.filter { $0 > 2 })
      }
    }
  }
}
