import Dispatch
import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The common behaviour of the schedulers on dispatch queues.
struct QueueScheduler: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable (DispatchQueue) -> any SchedulerType

  static let all = [
    QueueScheduler(testDescription: "serial") {
      SerialDispatchQueueScheduler(queue: $0, internalSerialQueueName: "serial")
    },
    QueueScheduler(testDescription: "concurrent") { ConcurrentDispatchQueueScheduler(queue: $0) },
  ]
}

@Suite("Schedulers on dispatch queues", .timeLimit(.minutes(5)))
struct DispatchQueueSchedulerTests {
  private let marked = MarkedQueue("target")
  private let semaphore = TestSemaphore()
  private let log = Log()

  @Test("an action runs on the queue, with its state", arguments: QueueScheduler.all)
  func schedule(_ kind: QueueScheduler) {
    let (marked, semaphore, log) = (marked, semaphore, log)
    // The returned disposable is not kept.
    _ = kind.make(marked.queue).schedule("state") { state in
      log.add("\(state) \(marked.isCurrent)")
      semaphore.signal()
      return Disposables.create()
    }
    #expect(semaphore.wait())
    #expect(log.lines == ["state true"])
  }

  @Test("an action with a due time runs on the queue, not before", arguments: QueueScheduler.all)
  func scheduleRelative(_ kind: QueueScheduler) {
    let (marked, semaphore, log) = (marked, semaphore, log)
    let start = DispatchTime.now()
    _ = kind.make(marked.queue).scheduleRelative("state", dueTime: .milliseconds(50)) { state in
      log.add("\(state) \(marked.isCurrent)")
      semaphore.signal()
      return Disposables.create()
    }
    #expect(semaphore.wait())
    #expect(DispatchTime.now() >= start + .milliseconds(50))
    #expect(log.lines == ["state true"])
  }

  @Test("spans are measured with the clock of the timers, which is never set", arguments: QueueScheduler.all)
  func spanClock(_ kind: QueueScheduler) {
    func uptime() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
    let start = uptime()
    let time = kind.make(marked.queue).spanClock().timeIntervalSinceReferenceDate
    #expect(time >= start && time <= uptime())
  }

  @Test("a due time in the past means as soon as possible", arguments: QueueScheduler.all)
  func past(_ kind: QueueScheduler) {
    let semaphore = semaphore
    _ = kind.make(marked.queue).scheduleRelative((), dueTime: .seconds(-1_000)) {
      semaphore.signal()
      return Disposables.create()
    }
    #expect(semaphore.wait())
  }

  @Test("a negative leeway is none", arguments: [true, false])
  func negativeLeeway(isSerial: Bool) {
    let scheduler: any SchedulerType =
      isSerial
      ? SerialDispatchQueueScheduler(
        queue: marked.queue, internalSerialQueueName: "serial", leeway: .seconds(-1))
      : ConcurrentDispatchQueueScheduler(queue: marked.queue, leeway: .seconds(-1))
    let (semaphore, work) = (semaphore, SerialDisposable())
    work.disposable = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(2)
      .delay(.milliseconds(1), scheduler: scheduler)
      .subscribe(onCompleted: { semaphore.signal() })
    #expect(semaphore.wait())
  }

  @Test(
    "periodic work runs on the queue, each run with the state of the previous one",
    arguments: QueueScheduler.all)
  func schedulePeriodic(_ kind: QueueScheduler) {
    let (marked, semaphore, log) = (marked, semaphore, log)
    let periodic = kind.make(marked.queue)
      .schedulePeriodic(0, startAfter: .milliseconds(2), period: .milliseconds(1)) { state in
        log.add("\(state) \(marked.isCurrent)")
        semaphore.signal()
        return state + 1
      }
    #expect(semaphore.wait(for: 10))
    periodic.dispose()
    #expect(log.lines.prefix(10) == (0..<10).map { "\($0) true" }[...])
  }

  @Test(
    "the first run of periodic work waits for its start time, and not for the period",
    arguments: QueueScheduler.all)
  func longPeriod(_ kind: QueueScheduler) {
    let semaphore = semaphore
    let periodic = kind.make(marked.queue)
      .schedulePeriodic((), startAfter: .milliseconds(1), period: .seconds(3_600)) { _ in semaphore.signal() }
    #expect(semaphore.wait())
    periodic.dispose()
  }

  @Test("work with a period of .never runs once", arguments: QueueScheduler.all)
  func endlessPeriod(_ kind: QueueScheduler) {
    let (semaphore, log, scheduler) = (semaphore, log, kind.make(marked.queue))
    let periodic = scheduler.schedulePeriodic((), startAfter: .milliseconds(1), period: .never) { _ in
      log.add("ran")
      semaphore.signal()
    }
    #expect(semaphore.wait())
    // The time for further runs.
    _ = scheduler.scheduleRelative((), dueTime: .milliseconds(20)) {
      semaphore.signal()
      return Disposables.create()
    }
    #expect(semaphore.wait())
    periodic.dispose()
    #expect(log.lines == ["ran"])
  }

  @Test("the runs of periodic work never overlap", arguments: QueueScheduler.all)
  func periodicOverlap(_ kind: QueueScheduler) {
    let (semaphore, log, elementQueue) = (semaphore, log, OneElementQueue())
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let periodic = kind.make(queue)
      .schedulePeriodic((), startAfter: .nanoseconds(0), period: .microseconds(1)) { _ in
        if !elementQueue.enter() { log.add("overlap") }
        elementQueue.leave()
        semaphore.signal()
      }
    #expect(semaphore.wait(for: 50))
    periodic.dispose()
    #expect(log.lines == [])
  }

  @Test("a period of zero or less means as often as possible", arguments: QueueScheduler.all)
  func withoutPeriod(_ kind: QueueScheduler) {
    for period in [RxTimeInterval.seconds(-1), .nanoseconds(0)] {
      let (marked, semaphore) = (MarkedQueue("periodic"), TestSemaphore())
      let subscription = SingleAssignmentDisposable()
      subscription.setDisposable(
        kind.make(marked.queue).schedulePeriodic(0, startAfter: .seconds(-1), period: period) { count in
          if count == 2 {
            subscription.dispose()
            semaphore.signal()
          }
          return count + 1
        })
      #expect(semaphore.wait())
    }
  }

  @Test("periodic work may dispose itself", arguments: QueueScheduler.all)
  func periodicSelf(_ kind: QueueScheduler) {
    let (semaphore, log, own) = (semaphore, log, SingleAssignmentDisposable())
    marked.queue.suspend()
    own.setDisposable(
      kind.make(marked.queue).schedulePeriodic(0, startAfter: .milliseconds(1), period: .milliseconds(1)) {
        log.add("\($0)")
        if $0 == 2 {
          own.dispose()
          semaphore.signal()
        }
        return $0 + 1
      })
    marked.queue.resume()
    #expect(semaphore.wait())
    marked.queue.sync {}
    #expect(log.lines == ["0", "1", "2"])
  }

  @Test("disposing cancels an action and releases it at once", arguments: QueueScheduler.all)
  func disposed(_ kind: QueueScheduler) {
    let (liveCount, log, semaphore) = (TrackedObject.LiveCount(), log, semaphore)
    let scheduler = kind.make(marked.queue)
    marked.queue.suspend()
    let action = { (tracked: TrackedObject) -> any Disposable in
      log.add("ran")
      return Disposables.create()
    }
    let waiting = [
      scheduler.schedule(TrackedObject(in: liveCount), action: action),
      scheduler.scheduleRelative(TrackedObject(in: liveCount), dueTime: .nanoseconds(0), action: action),
      scheduler.scheduleRelative(TrackedObject(in: liveCount), dueTime: .seconds(3_600), action: action),
      scheduler.scheduleRelative(TrackedObject(in: liveCount), dueTime: .never, action: action),
      scheduler.schedulePeriodic(
        TrackedObject(in: liveCount), startAfter: .nanoseconds(0), period: .seconds(3_600)
      ) { state in
        log.add("ran")
        return state
      },
    ]
    #expect(liveCount.value == 5)
    for disposable in waiting { disposable.dispose() }
    #expect(liveCount.value == 0)
    marked.queue.resume()
    _ = scheduler.schedule(()) {
      semaphore.signal()
      return Disposables.create()
    }
    #expect(semaphore.wait())
    #expect(log.lines == [])
  }

  @Test(
    "an action is released after it has run, although its disposable is kept", arguments: QueueScheduler.all)
  func lifetime(_ kind: QueueScheduler) {
    let scheduler = kind.make(marked.queue)
    let action = { (_: ReleaseSignal) in Disposables.create() }
    let kept = [
      scheduler.schedule(ReleaseSignal(semaphore), action: action),
      scheduler.scheduleRelative(ReleaseSignal(semaphore), dueTime: .milliseconds(1), action: action),
    ]
    #expect(semaphore.wait(for: 2))
    kept.forEach { $0.dispose() }
  }

  @Test(
    "the result of an action is disposed with it, before or after it has run", arguments: QueueScheduler.all)
  func result(_ kind: QueueScheduler) {
    let (log, semaphore) = (log, semaphore)
    let scheduler = kind.make(marked.queue)
    let early = scheduler.schedule(()) {
      semaphore.signal()
      return Disposables.create {
        log.add("after")
        semaphore.signal()
      }
    }
    #expect(semaphore.wait())
    early.dispose()
    #expect(semaphore.wait())

    let own = SingleAssignmentDisposable()
    own.setDisposable(
      scheduler.scheduleRelative((), dueTime: .milliseconds(1)) {
        own.dispose()
        return Disposables.create {
          log.add("inside")
          semaphore.signal()
        }
      })
    #expect(semaphore.wait())
    #expect(log.lines == ["after", "inside"])
  }

  @Test("disposing while the queue runs the action is safe", arguments: QueueScheduler.all)
  func race(_ kind: QueueScheduler) {
    let scheduler = kind.make(DispatchQueue(label: "race", attributes: .concurrent))
    for _ in 0..<500 {
      let resource = ReleaseSignal(semaphore)
      let disposable = scheduler.schedule(resource) { resource in Disposables.create { _ = resource } }
      let timer = scheduler.scheduleRelative(resource, dueTime: .nanoseconds(1)) { resource in
        Disposables.create { _ = resource }
      }
      disposable.dispose()
      timer.dispose()
    }
    #expect(semaphore.wait(for: 500))
  }

  @Test("the clock is the system's", arguments: QueueScheduler.all)
  func now(_ kind: QueueScheduler) {
    #expect(abs(kind.make(marked.queue).now.timeIntervalSinceNow) < 60)
  }
}

/// A queue for one element.
private final class OneElementQueue: Sendable {
  private let isTaken = Lock(false)

  func enter() -> Bool {
    isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }

  func leave() {
    isTaken.withLock { $0 = false }
  }
}

/// Signals a semaphore when it is released.
private final class ReleaseSignal: Sendable {
  private let semaphore: TestSemaphore

  init(_ semaphore: TestSemaphore) {
    self.semaphore = semaphore
  }

  deinit {
    semaphore.signal()
  }
}
