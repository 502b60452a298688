import Measuring
import OpenCombine
import RxLite

/// The workloads, by groups.
enum Workloads {
  static let all = chains + combinations + sharing + lifetimes + growth + time
}

extension Workloads {
  /// Elements that pass through operators with one source.
  static let chains = [
    Workload(
      "push", rxSwift: .init(525, peer: 188),
      ours: { count in
        pushing(count) { $0 }
      },
      peer: { count in
        sending(count) { $0 }
      }),
    Workload(
      "map.filter.map", rxSwift: .init(462, peer: 296),
      ours: { count in
        pushing(count) { $0.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &* 2 } }
      },
      peer: { count in
        sending(count) { $0.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &* 2 } }
      }),
    Workload(
      "create.map.filter.map",
      ours: { count in
        var total = 0
        _ = Observable<Int>.create { observer in
          for element in 0..<count { observer.onNext(element) }
          observer.onCompleted()
          return Disposables.create()
        }
        .map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &* 2 }.subscribe(onNext: { total &+= $0 })
        blackHole(total)
        return count
      },
      peer: { count in
        var total = 0
        _ = (0..<count).publisher.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &* 2 }.sink { total &+= $0 }
        blackHole(total)
        return count
      }),
    Workload(
      "map x8", rxSwift: .init(1_764),
      ours: { count in
        pushing(count) { source in
          let half = source.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
          return half.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
        }
      },
      peer: { count in
        sending(count) { source in
          let half = source.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
          return half.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
        }
      }),
    Workload(
      "map, a chain of so many", axis: "operators", sizes: [2, 8, 32],
      ours: { length in
        pushing(10_000) { source in
          var chain = source
          for _ in 0..<length { chain = chain.map { $0 &+ 1 } }
          return chain
        }
      },
      peer: { length in
        sending(10_000) { source in
          var chain = source.eraseToAnyPublisher()
          for _ in 0..<length { chain = chain.map { $0 &+ 1 }.eraseToAnyPublisher() }
          return chain
        }
      }),
    Workload(
      "scan",
      ours: { count in
        pushing(count) { $0.scan(0) { $0 &+ $1 } }
      },
      peer: { count in
        sending(count) { $0.scan(0) { $0 &+ $1 } }
      }),
    Workload(
      "flatMapLatest(just)", rxSwift: .init(1_753, peer: 1_007),
      ours: { count in
        pushing(count) { $0.flatMapLatest { Observable.just($0) } }
      },
      peer: { count in
        sending(count) { $0.flatMap { Just($0) } }
      }),
    Workload(
      "toArray", sizes: [10_000, 100_000, 1_000_000],
      ours: { count in
        let subject = PublishSubject<Int>()
        var elements: [Int] = []
        let subscription = subject.toArray().subscribe(onSuccess: { elements = $0 })
        for element in 0..<count { subject.onNext(element) }
        subject.onCompleted()
        subscription.dispose()
        blackHole(elements.count)
        return count
      },
      peer: { count in
        let subject = PassthroughSubject<Int, Never>()
        var elements: [Int] = []
        let subscription = subject.collect().sink { elements = $0 }
        for element in 0..<count { subject.send(element) }
        subject.send(completion: .finished)
        subscription.cancel()
        blackHole(elements.count)
        return count
      }),
    // OpenCombine's `collect` has a special case for sequences and never sends their elements one by one, so
    // there is nothing to compare.
    Workload(
      "range.toArray", sizes: [10_000, 100_000, 1_000_000],
      ours: { count in
        var elements: [Int] = []
        _ = Observable.range(start: 0, count: count).toArray().subscribe(onSuccess: { elements = $0 })
        blackHole(elements.count)
        return count
      }),
  ]

  private static func pushing(_ count: Int, through chain: (Observable<Int>) -> Observable<Int>) -> Int {
    let subject = PublishSubject<Int>()
    var total = 0
    let subscription = chain(subject).subscribe(onNext: { total &+= $0 })
    for element in 0..<count { subject.onNext(element) }
    subscription.dispose()
    blackHole(total)
    return count
  }

  private static func sending<Chain: Publisher<Int, Never>>(
    _ count: Int, through chain: (PassthroughSubject<Int, Never>) -> Chain
  ) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    var total = 0
    let subscription = chain(subject).sink { total &+= $0 }
    for element in 0..<count { subject.send(element) }
    subscription.cancel()
    blackHole(total)
    return count
  }
}

/// Uses a result, so that the optimiser does not remove the work that produced it.
@inline(never) func blackHole(_ value: Int) {}
