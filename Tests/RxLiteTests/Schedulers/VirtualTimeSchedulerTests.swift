import Dispatch
import RxLite
@testable import RxLiteTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("VirtualTimeScheduler")
struct VirtualTimeSchedulerTests {
  private let scheduler = HourScheduler()
  private let log = TimedLog()

  @Test("actions run in the order of their times, independent of the order of scheduling")
  func order() {
    for time in [30, 10, 20] { at(time) { self.log.add("\(time)") } }
    scheduler.start()
    #expect(log.lines == ["10@10", "20@20", "30@30"])
    #expect(scheduler.clock == 30)
  }

  @Test("simultaneous actions run in the order of scheduling")
  func fifo() {
    for index in 0..<100 { at(5) { self.log.add("\(index)") } }
    scheduler.start()
    #expect(log.lines == (0..<100).map { "\($0)@5" })
  }

  @Test("an action that is scheduled for the same time runs after the pending ones")
  func nested() {
    at(5) {
      self.log.add("a")
      self.at(5) { self.log.add("nested") }
    }
    at(5) { self.log.add("b") }
    scheduler.start()
    #expect(log.lines == ["a@5", "b@5", "nested@5"])
  }

  @Test("a late action runs without turning the clock back")
  func past() {
    at(10) {
      self.log.add("a")
      self.at(3) { self.log.add("late") }
    }
    at(11) { self.log.add("b") }
    scheduler.start()
    #expect(log.lines == ["a@10", "late@10", "b@11"])
  }

  @Test("schedule() means now, and spans are measured from the clock")
  func immediateAndRelative() {
    at(10) {
      _ = self.scheduler.schedule("now", action: self.record)
      _ = self.scheduler.scheduleRelative("two hours", dueTime: .seconds(7200), action: self.record)
      _ = self.scheduler.scheduleRelativeVirtual("one hour", dueTime: 1, action: self.record)
      _ = self.scheduler.scheduleRelative("never", dueTime: .never, action: self.record)
    }
    scheduler.start()
    #expect(log.lines == ["now@10", "one hour@11", "two hours@12"])
  }

  @Test("now is the real time of the clock")
  func now() {
    #expect(scheduler.now == Date(timeIntervalSince1970: 0))
    scheduler.advanceTo(3)
    #expect(scheduler.now == Date(timeIntervalSince1970: 3 * 3600))
  }

  @Test("a disposed action does not run and does not move the clock")
  func disposed() {
    let action = scheduler.scheduleAbsoluteVirtual("never", time: 10, action: record)
    at(5) {
      self.log.add("a")
      action.dispose()
    }
    scheduler.start()
    #expect(log.lines == ["a@5"])
    #expect(scheduler.clock == 5)
  }

  @Test("disposing a scheduled action disposes its result", arguments: [false, true])
  func disposesResult(whileRunning: Bool) {
    let action = SingleAssignmentDisposable()
    let resource = BooleanDisposable()
    action.setDisposable(
      scheduler.scheduleAbsoluteVirtual((), time: 1) { _ in
        if whileRunning { action.dispose() }
        return resource
      })
    scheduler.start()
    #expect(resource.isDisposed == whileRunning)
    action.dispose()
    #expect(resource.isDisposed)
  }

  @Test("an action is released when it is disposed, and after it has run", arguments: [false, true])
  func releases(runs: Bool) {
    weak var captured: TimedLog?
    let action: any Disposable
    do {
      let log = TimedLog()
      captured = log
      action = scheduler.scheduleAbsoluteVirtual((), time: 1) { _ in
        log.add("ran")
        return Disposables.create()
      }
    }
    #expect(captured != nil)
    if runs { scheduler.start() } else { action.dispose() }
    #expect(captured == nil)
    action.dispose()
  }

  @Test("the result of an action is released after the run if its disposable was not kept")
  func releasesResult() {
    let liveCount = TrackedObject.LiveCount()
    _ = scheduler.scheduleAbsoluteVirtual((), time: 1) { _ in
      let held = TrackedObject(in: liveCount)
      return Disposables.create { _ = held.value }
    }
    scheduler.start()
    #expect(liveCount.value == 0)
  }

  @Test("advanceTo runs all actions up to and including a time, and sets the clock to it")
  func advanceTo() {
    for time in [10, 20, 21] { at(time) { self.log.add("\(time)") } }
    scheduler.advanceTo(20)
    #expect(log.lines == ["10@10", "20@20"])
    #expect(scheduler.clock == 20)
    scheduler.advanceTo(30)
    #expect(log.lines == ["10@10", "20@20", "21@21"])
    #expect(scheduler.clock == 30)
  }

  @Test("advanceTo a time before the clock runs the actions due by then, and turns the clock back")
  func advanceBack() {
    at(5) { self.log.add("a") }
    at(20) { self.log.add("b") }
    scheduler.advanceTo(10)
    at(3) { self.log.add("late") }
    scheduler.advanceTo(4)
    #expect(scheduler.clock == 4)
    #expect(log.lines == ["a@5", "late@10"])
  }

  @Test("sleep moves the clock and runs nothing")
  func sleep() {
    at(10) { self.log.add("late") }
    scheduler.sleep(15)
    #expect(log.lines.isEmpty)
    #expect(scheduler.clock == 15)
    scheduler.start()
    #expect(log.lines == ["late@15"])
  }

  @Test("sleep accepts a span of zero, which moves nothing")
  func sleepForNothing() {
    scheduler.sleep(15)
    scheduler.sleep(0)
    #expect(scheduler.clock == 15)
  }

  @Test("stop ends the run after the current action, and start continues from there")
  func stop() {
    at(1) {
      self.log.add("a")
      self.scheduler.stop()
    }
    at(2) { self.log.add("b") }
    scheduler.start()
    #expect(log.lines == ["a@1"])
    scheduler.start()
    #expect(log.lines == ["a@1", "b@2"])
  }

  @Test("stop ends advanceTo after the current action, and the clock is set all the same")
  func stopInsideAdvanceTo() {
    at(1) {
      self.log.add("a")
      self.scheduler.stop()
    }
    at(2) { self.log.add("b") }
    scheduler.advanceTo(3)
    #expect(log.lines == ["a@1"])
    #expect(scheduler.clock == 3)
  }

  @Test("start from inside an action does nothing, even after stop", arguments: [false, true])
  func reentrantStart(afterStop: Bool) {
    at(1) {
      self.log.add("a begins")
      if afterStop { self.scheduler.stop() }
      self.scheduler.start()
      self.log.add("a ends")
    }
    at(2) { self.log.add("b") }
    scheduler.start()
    #expect(log.lines == ["a begins@1", "a ends@1"] + (afterStop ? [] : ["b@2"]))
    if afterStop { scheduler.start() }
    #expect(log.lines == ["a begins@1", "a ends@1", "b@2"])
  }

  @Test("periodic work keeps its period until it is disposed")
  func periodic() {
    let periodic = SingleAssignmentDisposable()
    periodic.setDisposable(
      scheduler.schedulePeriodic(0, startAfter: .seconds(2 * 3600), period: .seconds(3 * 3600)) { count in
        self.log.add("\(count)")
        if count == 2 { periodic.dispose() }
        return count + 1
      })
    scheduler.start()
    #expect(log.lines == ["0@2", "1@5", "2@8"])
    #expect(scheduler.clock == 8)
  }

  @Test("a subclass decides when scheduled work is due; absolute times are not adjusted")
  func adjusts() {
    let scheduler = RoundingScheduler(initialClock: 1, converter: HourConverter())
    let log = TimedLog(scheduler)
    let record = { (line: String) -> any Disposable in
      log.add(line)
      return Disposables.create()
    }
    _ = scheduler.schedule("now", action: record)
    _ = scheduler.scheduleRelative("relative", dueTime: .seconds(12 * 3600), action: record)
    _ = scheduler.scheduleAbsoluteVirtual("absolute", time: 7, action: record)
    _ = scheduler.scheduleRelativeVirtual("virtual", dueTime: 2, action: record)
    scheduler.start()
    #expect(log.lines == ["virtual@3", "absolute@7", "now@10", "relative@20"])
  }

  @Test("the description shows the clock and the pending times")
  func description() {
    at(7) {}
    at(5) {}
    scheduler.scheduleAbsoluteVirtual("taken back", time: 6, action: record).dispose()
    #expect(scheduler.debugDescription == "VirtualTimeScheduler(clock: 0, pending: [5, 7])")
  }

  @Test("100,000 actions in scrambled order run in order, without the cancelled ones")
  func many() {
    let count = 100_000
    var times: [Int] = []
    for index in 0..<count {
      let time = index * 7919 % count
      let action = scheduler.scheduleAbsoluteVirtual((), time: time) { _ in
        times.append(time)
        return Disposables.create()
      }
      if time % 2 == 1 { action.dispose() }
    }
    scheduler.start()
    #expect(times == Array(stride(from: 0, to: count, by: 2)))
  }

  @Test("cancelled actions are dropped before their time comes")
  func cancelledActions() {
    struct WeakReference {
      weak var object: AnyObject?
    }
    let scheduler = HistoricalScheduler()
    var ran = 0
    let remaining = (0..<10).map { index in
      scheduler.scheduleRelative((), dueTime: .seconds(index * 1_000)) {
        ran += 1
        return Disposables.create()
      }
    }
    let cancelled = (0..<10_000).map { index in
      let action = scheduler.scheduleRelative((), dueTime: .seconds(10_000 - index)) { Disposables.create() }
      action.dispose()
      return WeakReference(object: action as AnyObject)
    }
    #expect(cancelled.filter { $0.object != nil }.count <= 128)
    scheduler.start()
    #expect(ran == remaining.count)
  }

  init() {
    log.scheduler = scheduler
  }

  private func at(_ time: Int, _ action: @escaping () -> Void) {
    _ = scheduler.scheduleAbsoluteVirtual((), time: time) { _ in
      action()
      return Disposables.create()
    }
  }

  private func record(_ line: String) -> any Disposable {
    log.add(line)
    return Disposables.create()
  }

  @Test("stop between two runs has no effect on the next one")
  func idleStop() {
    at(1) { self.log.add("a") }
    at(2) { self.log.add("b") }
    scheduler.stop()
    scheduler.advanceTo(1)
    #expect(log.lines == ["a@1"])
    scheduler.stop()
    scheduler.start()
    #expect(log.lines == ["a@1", "b@2"])
  }
}

/// Lines with the time at which they were written.
private final class TimedLog {
  private(set) var lines: [String] = []
  weak var scheduler: VirtualTimeScheduler<HourConverter>?

  init(_ scheduler: VirtualTimeScheduler<HourConverter>? = nil) {
    self.scheduler = scheduler
  }

  func add(_ line: String) {
    lines.append("\(line)@\(scheduler?.clock ?? -1)")
  }
}

private final class HourScheduler: VirtualTimeScheduler<HourConverter>, @unchecked Sendable {
  init() {
    super.init(initialClock: 0, converter: HourConverter())
  }
}

/// Work becomes due at the next multiple of ten.
private final class RoundingScheduler: VirtualTimeScheduler<HourConverter>, @unchecked Sendable {
  override func adjustScheduledTime(_ time: Int) -> Int {
    (time + 9) / 10 * 10
  }
}

/// Counts in hours.
private struct HourConverter: VirtualTimeConverterType {
  func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
    Date(timeIntervalSince1970: Double(virtualTime) * 3600)
  }

  func convertToVirtualTime(_ time: RxTime) -> Int {
    Int(time.timeIntervalSince1970 / 3600)
  }

  func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
    Double(virtualTimeInterval) * 3600
  }

  func convertToVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> Int {
    Int(virtualTimeInterval / 3600)
  }

  func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
    time + offset
  }

  func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
  }
}
