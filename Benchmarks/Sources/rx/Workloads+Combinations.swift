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
      "combineLatest of 4",
      ours: { count in
        let (first, others) = (PublishSubject<Int>(), (0..<3).map { _ in PublishSubject<Int>() })
        let sums = Observable.combineLatest(first, others[0], others[1], others[2]) { $0 &+ $1 &+ $2 &+ $3 }
        return pushing(count, into: sums) { element in
          if element == 0 { for other in others { other.onNext(0) } }
          first.onNext(element)
        }
      }),
    Workload(
      "combineLatest of 8",
      ours: { count in
        let sources = (0..<8).map { _ in PublishSubject<Int>() }
        let sums = Observable.combineLatest(
          sources[0], sources[1], sources[2], sources[3], sources[4], sources[5], sources[6], sources[7]
        ) { $0 &+ $1 &+ $2 &+ $3 &+ $4 &+ $5 &+ $6 &+ $7 }
        return pushing(count, into: sums) { element in
          if element == 0 { for source in sources.dropFirst() { source.onNext(0) } }
          sources[0].onNext(element)
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
