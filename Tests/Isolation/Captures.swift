import RxLite

extension ObservableType {
  /// An operator of the application.
  func logged<Result>(_ transform: @escaping (Element) -> Result) -> Observable<Result> {
    map(transform)
    // ^6 passing non-Sendable parameter 'transform' to function expecting a '@Sendable' closure
  }
}

struct Item: Sendable {
  let number: Int
}

/// Functions whose pipelines use captured variables.
func captures() {
  var total = 0
  var seen: [Int] = []
  _ = Observable.of(1, 2, 3).subscribe(onNext: { total += $0 })
  // ^6 mutation of captured var 'total' in concurrently-executing code
  _ = Observable.of(1, 2, 3).do(onNext: { seen.append($0) }).subscribe()
  // ^6 mutation of captured var 'seen' in concurrently-executing code
  report("captures", "\(total) \(seen)")

  let limit = 2
  _ = Observable.of(1, 2, 3)
    .filter { $0 > 1 && $0 <= limit }
    .map(Item.init(number:))
    .map(\.number)
    .logged { "\($0)" }
    .subscribe(onNext: { report("captures, constants", $0) })

  var bound = 2
  bound += 1
  _ = Observable.of(1, 2, 3)
    .filter { [bound] in $0 > 1 && $0 < bound }
    .subscribe(onNext: { report("captures, capture list", $0) })
}
