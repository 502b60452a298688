import Measuring
import OpenCombine
import RxLite

extension Workloads {
  /// One source for many observers; an operation is one element to one observer.
  static let sharing = [
    Workload(
      "share(replay: 1)", axis: "observers", sizes: [1, 10, 100],
      ours: { observers in
        let subject = PublishSubject<Int>(), shared = subject.share(replay: 1), bag = DisposeBag()
        var total = 0
        for _ in 0..<observers { shared.subscribe(onNext: { total &+= $0 }).disposed(by: bag) }
        for element in 0..<rounds { subject.onNext(element) }
        blackHole(total)
        return rounds * observers
      },
      peer: { observers in
        let subject = PassthroughSubject<Int, Never>()
        let shared = subject.multicast(subject: CurrentValueSubject<Int, Never>(0)).autoconnect()
        var total = 0
        let subscriptions = (0..<observers).map { _ in shared.sink { total &+= $0 } }
        for element in 0..<rounds { subject.send(element) }
        blackHole(total &+ subscriptions.count)
        return rounds * observers
      }),
    Workload(
      "subject", axis: "observers", sizes: [1, 10, 100],
      ours: { observers in
        let subject = PublishSubject<Int>(), bag = DisposeBag()
        var total = 0
        for _ in 0..<observers { subject.subscribe(onNext: { total &+= $0 }).disposed(by: bag) }
        for element in 0..<rounds { subject.onNext(element) }
        blackHole(total)
        return rounds * observers
      },
      peer: { observers in
        let subject = PassthroughSubject<Int, Never>()
        var total = 0
        let subscriptions = (0..<observers).map { _ in subject.sink { total &+= $0 } }
        for element in 0..<rounds { subject.send(element) }
        blackHole(total &+ subscriptions.count)
        return rounds * observers
      }),
  ]

  private static let rounds = 1_000
}
