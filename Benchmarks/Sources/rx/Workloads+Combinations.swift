import Measuring
import OpenCombine
import RxLite

extension Workloads {
  /// Elements from several sources.
  static let combinations = [
    Workload(
      "combineLatest", rxSwift: .init(765),
      ours: { count in
        let first = PublishSubject<Int>(), second = PublishSubject<Int>()
        return pushing(count, into: Observable.combineLatest(first, second) { $0 &+ $1 }) {
          if $0 == 0 { second.onNext(0) }
          first.onNext($0)
        }
      }),
    Workload(
      "withLatestFrom",
      ours: { count in
        let first = PublishSubject<Int>(), second = PublishSubject<Int>()
        return pushing(count, into: first.withLatestFrom(second) { $0 &+ $1 }) {
          if $0 == 0 { second.onNext(0) }
          first.onNext($0)
        }
      }),
    Workload(
      "merge of 4",
      ours: { count in
        let sources = (0..<4).map { _ in PublishSubject<Int>() }
        return pushing(count, into: Observable.merge(sources)) { sources[$0 & 3].onNext($0) }
      },
      peer: { count in
        let sources = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        return pushing(count, into: sources.publisher.flatMap { $0 }) { sources[$0 & 3].send($0) }
      }),
    Workload(
      "zip",
      ours: { count in
        let first = PublishSubject<Int>(), second = PublishSubject<Int>()
        return pushing(count, into: Observable.zip(first, second) { $0 &+ $1 }) {
          first.onNext($0)
          second.onNext($0)
        }
      },
      peer: { count in
        let first = PassthroughSubject<Int, Never>(), second = PassthroughSubject<Int, Never>()
        return pushing(count, into: first.zip(second) { $0 &+ $1 }) {
          first.send($0)
          second.send($0)
        }
      }),
  ]

  private static func pushing(_ count: Int, into chain: Observable<Int>, send: (Int) -> Void) -> Int {
    var total = 0
    let subscription = chain.subscribe(onNext: { total &+= $0 })
    for element in 0..<count { send(element) }
    subscription.dispose()
    blackHole(total)
    return count
  }

  private static func pushing<Chain: Publisher<Int, Never>>(
    _ count: Int, into chain: Chain, send: (Int) -> Void
  ) -> Int {
    var total = 0
    let subscription = chain.sink { total &+= $0 }
    for element in 0..<count { send(element) }
    subscription.cancel()
    blackHole(total)
    return count
  }
}
