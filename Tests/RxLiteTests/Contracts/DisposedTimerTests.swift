import Foundation
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// On a queue, a timer may have begun to fire when the element that disposes it arrives.
@Suite("Timers that fire although they were disposed")
struct DisposedTimerTests {
  private let scheduler = UncancellableScheduler()
  private let subject = PublishSubject<Int>()

  @Test("debounce waits for the time after the latest element")
  func debounce() {
    let recorder = RecordingObserver<Int>()
    let subscription = subject.debounce(.seconds(10), scheduler: scheduler).subscribe(recorder)
    subject.onNext(1)
    subject.onNext(2)
    scheduler.fire(timer: 0)
    #expect(recorder.events == [])
    scheduler.fire(timer: 1)
    #expect(recorder.events == [.next(2)])
    subscription.dispose()
  }

  @Test("throttle holds the next element until its own time is up")
  func throttle() {
    let recorder = RecordingObserver<Int>()
    let subscription = subject.throttle(.seconds(10), scheduler: scheduler).subscribe(recorder)
    subject.onNext(1)
    subject.onNext(2)
    scheduler.now += 15
    // The previous element's timer is late, so this one is forwarded at once.
    subject.onNext(3)
    subject.onNext(4)
    scheduler.fire(timer: 0)
    #expect(recorder.events == [.next(1), .next(3)])
    scheduler.fire(timer: 1)
    #expect(recorder.events == [.next(1), .next(3), .next(4)])
    subscription.dispose()
  }

  @Test("timeout counts from the latest element")
  func timeout() {
    let recorder = RecordingObserver<Int>()
    let subscription = subject.timeout(.seconds(10), other: Observable.just(9), scheduler: scheduler)
      .subscribe(recorder)
    subject.onNext(1)
    scheduler.fire(timer: 0)
    #expect(recorder.events == [.next(1)])
    scheduler.fire(timer: 1)
    #expect(recorder.events == [.next(1), .next(9), .completed])
    subscription.dispose()
  }

  @Test("timeout subscribes to nothing after the end")
  func timeoutAfterTheEnd() {
    var subscriptions = 0
    let other = Observable<Int>.deferred {
      subscriptions += 1
      return .empty()
    }
    _ = subject.timeout(.seconds(10), other: other, scheduler: scheduler).subscribe()
    subject.onCompleted()
    scheduler.fire(timer: 0)
    #expect(subscriptions == 0)
  }

  enum LateSubscription: CaseIterable, Sendable { case timeout, delaySubscription, subscribeOn }

  @Test("a subscription that was disposed subscribes to nothing", arguments: LateSubscription.allCases)
  func subscriptionAfterTheDisposal(op: LateSubscription) {
    var subscriptions = 0
    let late = Observable<Int>.deferred {
      subscriptions += 1
      return .empty()
    }
    let sequence: Observable<Int> =
      switch op {
      case .timeout: subject.timeout(.seconds(10), other: late, scheduler: scheduler)
      case .delaySubscription: late.delaySubscription(.seconds(10), scheduler: scheduler)
      case .subscribeOn: late.subscribe(on: scheduler)
      }
    sequence.subscribe().dispose()
    scheduler.fire(timer: 0)
    #expect(subscriptions == 0)
  }

  @Test("buffer fills the next array until the time of that array is up")
  func buffer() {
    let recorder = RecordingObserver<[Int]>()
    let subscription = subject.buffer(timeSpan: .seconds(10), count: 2, scheduler: scheduler)
      .subscribe(recorder)
    for element in 1...3 { subject.onNext(element) }
    scheduler.fire(timer: 0)
    #expect(recorder.events == [.next([1, 2])])
    scheduler.fire(timer: 1)
    #expect(recorder.events == [.next([1, 2]), .next([3])])
    subscription.dispose()
  }

  @Test("window keeps the next window open until its own time is up")
  func window() {
    let recorder = RecordingObserver<[Int]>()
    let subscription = subject.window(timeSpan: .seconds(10), count: 2, scheduler: scheduler)
      .flatMap { $0.toArray() }.subscribe(recorder)
    for element in 1...3 { subject.onNext(element) }
    scheduler.fire(timer: 0)
    #expect(recorder.events == [.next([1, 2])])
    scheduler.fire(timer: 1)
    #expect(recorder.events == [.next([1, 2]), .next([3])])
    subscription.dispose()
  }

  @Test("window starts no other timer after its disposal")
  func windowAfterTheDisposal() {
    subject.window(timeSpan: .seconds(10), count: 2, scheduler: scheduler).subscribe().dispose()
    scheduler.fire(timer: 0)
    #expect(scheduler.timerCount == 1)
  }
}

/// A scheduler for one thread whose timers fire on request, even if they were disposed.
private final class UncancellableScheduler: SchedulerType {
  var now = RxTime(timeIntervalSince1970: 0)
  private var timers: [() -> Void] = []

  var timerCount: Int { timers.count }

  /// Fires a timer, identified by its position in the order of starting.
  func fire(timer number: Int) {
    timers[number]()
  }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
  }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    timers.append { _ = action(state) }
    return Disposables.create()
  }
}
