import Measuring
import OpenCombine
import RxLite

extension Workloads {
  /// Subscriptions that begin and end.
  static let lifetimes = [
    Workload(
      "Single create.map.subscribe", rxSwift: .init(4_512, peer: 2_328),
      ours: { count in
        var total = 0
        for element in 0..<count {
          _ = Single<Int>.create { single in
            single(.success(element))
            return Disposables.create()
          }
          .map { $0 &+ 1 }.subscribe(onSuccess: { total &+= $0 })
        }
        blackHole(total)
        return count
      },
      peer: { count in
        var total = 0
        for element in 0..<count {
          _ = Future<Int, Never> { promise in promise(.success(element)) }.map { $0 &+ 1 }.sink {
            total &+= $0
          }
        }
        blackHole(total)
        return count
      }),
    Workload(
      "subscribe, dispose map.take(until:)", rxSwift: .init(6_240, peer: 4_037),
      ours: { count in
        let subject = PublishSubject<Int>(), end = PublishSubject<Void>()
        var total = 0
        for _ in 0..<count {
          subject.map { $0 &+ 1 }.take(until: end).subscribe(onNext: { total &+= $0 }).dispose()
        }
        blackHole(total)
        return count
      },
      peer: { count in
        let subject = PassthroughSubject<Int, Never>(), end = PassthroughSubject<Void, Never>()
        var total = 0
        for _ in 0..<count {
          subject.map { $0 &+ 1 }.prefix(untilOutputFrom: end).sink { total &+= $0 }.cancel()
        }
        blackHole(total)
        return count
      }),
    Workload(
      "concat of so many just", axis: "rounds",
      ours: { count in
        var total = 0
        _ = Observable.concat(repeatElement(Observable.just(1), count: count)).subscribe(onNext: {
          total &+= $0
        })
        blackHole(total)
        return count
      }),
    Workload(
      "retry", axis: "rounds",
      ours: { count in
        var attempts = 0
        _ = Observable<Int>.deferred {
          attempts += 1
          return attempts == count ? .just(1) : .error(RxError.unknown)
        }
        .retry().subscribe()
        blackHole(attempts)
        return count
      }),
  ]
}
