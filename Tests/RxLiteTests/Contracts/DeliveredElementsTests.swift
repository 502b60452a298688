import Dispatch
import RxLite
import RxLiteTesting
import Testing

/// A delivered element is released, even if any number of elements are still pending.
@Suite("delivered elements are released", .timeLimit(.minutes(5)))
struct DeliveredElementsTests {
  private let liveCount = Tracked.LiveCount()
  private let count = 1_000

  /// Counts deliveries, and those during which more elements are alive than are pending, apart from the few
  /// that operators hold.
  private final class Deliveries: @unchecked Sendable {
    // Sendable: used by one delivery at a time, and read after the last.
    private let liveCount: Tracked.LiveCount
    private let count: Int
    private(set) var number = 0
    private(set) var faults = 0

    init(of count: Int, in liveCount: Tracked.LiveCount) {
      (self.count, self.liveCount) = (count, liveCount)
    }

    func note() {
      number += 1
      if liveCount.value > count - number + 5 { faults += 1 }
    }
  }

  /// Sequences whose elements wait if they are sent during the delivery of the first one.
  struct SharedSequence: Sendable, CustomTestStringConvertible {
    typealias Parts = (
      sequence: Observable<Tracked>, start: AnyObserver<Tracked>, followers: AnyObserver<Tracked>
    )

    let testDescription: String
    let make: @Sendable () -> Parts

    static let all = [
      SharedSequence(testDescription: "PublishSubject") {
        let subject = PublishSubject<Tracked>()
        return (subject, AnyObserver(subject), AnyObserver(subject))
      },
      SharedSequence(testDescription: "BehaviorSubject") {
        let subject = BehaviorSubject(value: unrelated)
        return (subject.skip(1), AnyObserver(subject), AnyObserver(subject))
      },
      SharedSequence(testDescription: "ReplaySubject") {
        let subject = ReplaySubject<Tracked>.create(bufferSize: 1)
        return (subject, AnyObserver(subject), AnyObserver(subject))
      },
      joining("merge") { .merge($0, $1) },
      joining("flatMap") { first, second in Observable.of(first, second).flatMap { $0 } },
      joining("combineLatest") { .combineLatest($0, $1.startWith(unrelated)) { $1 } },
      joining("zip") { first, second in
        let repeated = Observable.merge(first, second)
        return .zip(repeated, Observable.merge(first, second)) { $1 }
      },
      joining("withLatestFrom") { first, second in
        Observable.merge(first, second).withLatestFrom(Observable.just(0)) { element, _ in element }
      },
    ]

    private static var unrelated: Tracked { Tracked(in: .init()) }

    private static func joining(
      _ name: String,
      _ join: @escaping @Sendable (PublishSubject<Tracked>, PublishSubject<Tracked>) -> Observable<Tracked>
    ) -> SharedSequence {
      SharedSequence(testDescription: name) {
        let (first, second) = (PublishSubject<Tracked>(), PublishSubject<Tracked>())
        return (join(first, second), AnyObserver(first), AnyObserver(second))
      }
    }
  }

  @Test("while other elements wait for the same thread", arguments: SharedSequence.all)
  func reentrant(shared: SharedSequence) {
    let (sequence, start, followers) = shared.make()
    let deliveries = Deliveries(of: count, in: liveCount)
    var hasStarted = false
    let subscription = sequence.subscribe(onNext: { _ in
      if hasStarted { return deliveries.note() }
      hasStarted = true
      for index in 0..<count { followers.onNext(Tracked(index, in: liveCount)) }
    })
    start.onNext(Tracked(in: .init()))
    #expect(deliveries.number == count && deliveries.faults == 0)
    subscription.dispose()
  }

  enum Hop: CaseIterable, Sendable { case observe, delay }

  @Test("while other elements wait for the same queue", arguments: Hop.allCases)
  func queued(hop: Hop) {
    let (feed, arrival) = (Feed<Tracked>(), Arrival())
    let queue = DispatchQueue(label: "blocked")
    let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "blocked too")
    let hopping =
      switch hop {
      case .observe: feed.observable.observe(on: scheduler)
      case .delay: feed.observable.delay(.nanoseconds(0), scheduler: scheduler)
      }
    let deliveries = Deliveries(of: count, in: liveCount)
    queue.suspend()
    let subscription = hopping.subscribe(onNext: { _ in deliveries.note() }, onCompleted: arrival.arrive)
    for index in 0..<count { feed.send(.next(Tracked(index, in: liveCount))) }
    feed.send(.completed)
    #expect(liveCount.value == count)
    queue.resume()
    #expect(arrival.waits())
    #expect(deliveries.number == count && deliveries.faults == 0)
    subscription.dispose()
  }

  @Test("even if all are sent together, at the end of the sequence")
  func last() {
    let feed = Feed<Tracked>()
    let deliveries = Deliveries(of: count, in: liveCount)
    let subscription = feed.observable.takeLast(count).subscribe(onNext: { _ in deliveries.note() })
    for index in 0..<count + 700 { feed.send(.next(Tracked(index, in: liveCount))) }
    #expect(liveCount.value == count)
    feed.send(.completed)
    #expect(deliveries.number == count && deliveries.faults == 0)
    subscription.dispose()
  }
}
