import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// A delivered element is released, even if any number of elements are still pending.
@Suite("Release of delivered elements", .timeLimit(.minutes(5)))
struct DeliveredElementRetentionTests {
  private let liveCount = TrackedObject.LiveCount()
  private let count = 1_000

  /// Counts deliveries, and those during which more elements are alive than are pending, apart from the few
  /// that operators hold.
  private final class DeliveryCounter: @unchecked Sendable {
    // Sendable: used by one delivery at a time, and read after the last.
    private let liveCount: TrackedObject.LiveCount
    private let count: Int
    private(set) var number = 0
    private(set) var faults = 0

    init(of count: Int, in liveCount: TrackedObject.LiveCount) {
      (self.count, self.liveCount) = (count, liveCount)
    }

    func countDelivery() {
      number += 1
      if liveCount.value > count - number + 5 { faults += 1 }
    }
  }

  /// Sequences whose elements wait if they are sent during the delivery of the first one.
  struct SharedSequence: Sendable, CustomTestStringConvertible {
    typealias Parts = (
      sequence: Observable<TrackedObject>, start: AnyObserver<TrackedObject>,
      followers: AnyObserver<TrackedObject>
    )

    let testDescription: String
    let make: @Sendable () -> Parts

    static let all = [
      SharedSequence(testDescription: "PublishSubject") {
        let subject = PublishSubject<TrackedObject>()
        return (subject, AnyObserver(subject), AnyObserver(subject))
      },
      SharedSequence(testDescription: "BehaviorSubject") {
        let subject = BehaviorSubject(value: unrelated)
        return (subject.skip(1), AnyObserver(subject), AnyObserver(subject))
      },
      SharedSequence(testDescription: "ReplaySubject") {
        let subject = ReplaySubject<TrackedObject>.create(bufferSize: 1)
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

    private static var unrelated: TrackedObject { TrackedObject(in: .init()) }

    private static func joining(
      _ name: String,
      _ join:
        @escaping @Sendable (PublishSubject<TrackedObject>, PublishSubject<TrackedObject>) -> Observable<
          TrackedObject
        >
    ) -> SharedSequence {
      SharedSequence(testDescription: name) {
        let (first, second) = (PublishSubject<TrackedObject>(), PublishSubject<TrackedObject>())
        return (join(first, second), AnyObserver(first), AnyObserver(second))
      }
    }
  }

  @Test(
    "a delivered element is released while others wait for the same thread", arguments: SharedSequence.all)
  func reentrant(shared: SharedSequence) {
    let (sequence, start, followers) = shared.make()
    let deliveries = DeliveryCounter(of: count, in: liveCount)
    var hasStarted = false
    let subscription = sequence.subscribe(onNext: { _ in
      if hasStarted { return deliveries.countDelivery() }
      hasStarted = true
      for index in 0..<count { followers.onNext(TrackedObject(index, in: liveCount)) }
    })
    start.onNext(TrackedObject(in: .init()))
    #expect(deliveries.number == count && deliveries.faults == 0)
    subscription.dispose()
  }

  enum SchedulerOperator: CaseIterable, Sendable { case observe, delay }

  @Test(
    "a delivered element is released while others wait for the same queue",
    arguments: SchedulerOperator.allCases)
  func queued(op: SchedulerOperator) {
    let (feed, semaphore) = (SingleObserverSource<TrackedObject>(), TestSemaphore())
    let queue = DispatchQueue(label: "blocked")
    let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "blocked too")
    let scheduled =
      switch op {
      case .observe: feed.observable.observe(on: scheduler)
      case .delay: feed.observable.delay(.nanoseconds(0), scheduler: scheduler)
      }
    let deliveries = DeliveryCounter(of: count, in: liveCount)
    queue.suspend()
    let subscription = scheduled.subscribe(
      onNext: { _ in deliveries.countDelivery() }, onCompleted: semaphore.signal)
    for index in 0..<count { feed.send(.next(TrackedObject(index, in: liveCount))) }
    feed.send(.completed)
    #expect(liveCount.value == count)
    queue.resume()
    #expect(semaphore.wait())
    #expect(deliveries.number == count && deliveries.faults == 0)
    subscription.dispose()
  }

  @Test("each delivered element is released even if all are sent together, at the end of the sequence")
  func last() {
    let feed = SingleObserverSource<TrackedObject>()
    let deliveries = DeliveryCounter(of: count, in: liveCount)
    let subscription = feed.observable.takeLast(count).subscribe(onNext: { _ in deliveries.countDelivery() })
    for index in 0..<count + 700 { feed.send(.next(TrackedObject(index, in: liveCount))) }
    #expect(liveCount.value == count)
    feed.send(.completed)
    #expect(deliveries.number == count && deliveries.faults == 0)
    subscription.dispose()
  }
}
