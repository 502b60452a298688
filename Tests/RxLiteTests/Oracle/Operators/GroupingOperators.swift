import Dispatch
import RxLite

extension OperatorCall {
  /// Operators whose elements are lists or sequences of elements.
  static let grouping: [String: Operator] = [
    "buffer": { call in
      call.source.buffer(timeSpan: call.seconds(0), count: call[1], scheduler: call.scheduler).map(digest)
    },
    "window": window,
    "groupBy": groupBy,
  ]

  private enum WindowUse: Int {
    case mergeMarkingEnds, mergeLists, switchToFirst, concat
  }

  private static func window(_ call: OperatorCall) throws -> Observable<Int> {
    let windows = call.source.window(timeSpan: call.seconds(0), count: call[1], scheduler: call.scheduler)
    switch try call.parameter(2, WindowUse.self) {
    case .mergeMarkingEnds:
      return windows.enumerated().flatMap { number, window in
        window.map { bounded($0 + number * 100) }.concat(Observable.just(900 + number))
      }
    case .mergeLists: return windows.flatMap { $0.toArray() }.map(digest)
    case .switchToFirst: return windows.map { $0.take(1) }.switchLatest()
    case .concat: return windows.map { $0 }.concat()
    }
  }

  private enum GroupUse: Int {
    case mergeMarkingEnds, keys, mergeTwoOfEach, concat, switchLatest, mergeLists, mergeLater
  }

  private static func groupBy(_ call: OperatorCall) throws -> Observable<Int> {
    let function = try call.function(0)
    let groups = call.source.groupBy { try function($0) % 3 }
    switch try call.parameter(1, GroupUse.self) {
    case .mergeMarkingEnds:
      return groups.flatMap { group in
        group.map { pair($0, group.key) }.concat(Observable.just(900 + group.key))
      }
    case .keys: return groups.map { $0.key }
    case .mergeTwoOfEach: return groups.flatMap { $0.take(2) }
    case .concat: return groups.map { $0.asObservable() }.concat()
    case .switchLatest: return groups.map { group in group.map { pair($0, group.key) } }.switchLatest()
    case .mergeLists: return groups.flatMap { $0.toArray().map(digest) }
    case .mergeLater:
      return groups.flatMap { $0.delaySubscription(.seconds(20), scheduler: call.scheduler) }
    }
  }
}
