import Measuring
import OpenCombine
import RxLite

extension Workloads {
  /// Many observers of one subject, and long replays; an operation is one observer.
  static let growth = [
    Workload(
      "publish subject, observers disposed in order", axis: "observers", rxSwift: .init(1_280),
      ours: { count in
        subscribing(count, to: PublishSubject<Int>())
      },
      peer: { count in
        let subject = PassthroughSubject<Int, Never>()
        let subscriptions = (0..<count).map { _ in subject.sink { _ in } }
        for subscription in subscriptions { subscription.cancel() }
        return count
      }),
    Workload(
      "behavior subject, observers disposed in order", axis: "observers", rxSwift: .init(1_440),
      ours: { count in
        subscribing(count, to: BehaviorSubject(value: 0))
      }),
    Workload(
      "publish subject, take(1) ended by one event", axis: "observers", rxSwift: .init(7_940),
      ours: { count in
        let subject = PublishSubject<Int>()
        return ending(count, of: subject.asObservable()) { subject.onNext(1) }
      }),
    Workload(
      "behavior subject, skip(1).take(1) ended by one event", axis: "observers", rxSwift: .init(16_110),
      ours: { count in
        let subject = BehaviorSubject(value: 0)
        return ending(count, of: subject.skip(1)) { subject.onNext(1) }
      }),
    // RxSwift copies the elements, which takes up to 247 ms for a million.
    Workload(
      "replay subject, subscribe and send", axis: "replayed elements", sizes: [1_000, 100_000, 1_000_000],
      ours: { count in
        let subject = replaySubject(of: count)
        for element in 0..<100 {
          _ = subject.take(1).subscribe(onNext: { _ in subject.onNext(element) })
        }
        return 100
      }),
  ]

  private static func subscribing(_ count: Int, to source: Observable<Int>) -> Int {
    let subscriptions = (0..<count).map { _ in source.subscribe(onNext: { _ in }) }
    for subscription in subscriptions { subscription.dispose() }
    return count
  }

  private static func ending(_ count: Int, of source: Observable<Int>, send: () -> Void) -> Int {
    for _ in 0..<count { _ = source.take(1).subscribe(onNext: { _ in }) }
    send()
    return count
  }

  // Filled once, because that takes longer than the work that is measured.
  nonisolated(unsafe) private static var replaySubjects: [Int: ReplaySubject<Int>] = [:]

  private static func replaySubject(of count: Int) -> ReplaySubject<Int> {
    if let subject = replaySubjects[count] { return subject }
    let subject = ReplaySubject<Int>.create(bufferSize: count)
    for element in 0..<count { subject.onNext(element) }
    replaySubjects[count] = subject
    return subject
  }
}
