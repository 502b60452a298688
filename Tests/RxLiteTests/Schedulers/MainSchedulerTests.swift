import Dispatch
import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("MainScheduler", .timeLimit(.minutes(5)))
struct MainSchedulerTests {
  private let log = Log()

  private func record(_ line: String) -> any Disposable {
    log.add(line)
    return Disposables.create()
  }

  private func record(_ line: String, then semaphore: TestSemaphore) -> any Disposable {
    log.add("\(line) \(DispatchQueue.main.isCurrent)")
    semaphore.signal()
    return Disposables.create()
  }

  @Test("on the main queue an action runs at once")
  @MainActor func atOnce() {
    _ = MainScheduler().schedule("action") { record($0) }
    log.add("after")
    #expect(log.lines == ["action", "after"])
  }

  @Test("an action that another action schedules waits for it")
  @MainActor func nested() async {
    let scheduler = MainScheduler()
    await withCheckedContinuation { continuation in
      _ = scheduler.schedule(()) {
        _ = scheduler.schedule("inner") {
          _ = record($0); continuation.resume(); return Disposables.create()
        }
        return record("outer")
      }
      log.add("after")
    }
    #expect(log.lines == ["outer", "after", "inner"])
  }

  @Test("an action waits for earlier actions of other threads")
  @MainActor func waitsForEarlier() async {
    let scheduler = MainScheduler()
    await withCheckedContinuation { continuation in
      onThreads(1) { _ in _ = scheduler.schedule("other thread") { record($0) } }
      _ = scheduler.schedule("main thread") {
        _ = record($0)
        continuation.resume()
        return Disposables.create()
      }
      log.add("after")
    }
    #expect(log.lines == ["after", "other thread", "main thread"])
  }

  @Test("a cancelled action does not block later ones")
  @MainActor func takenBack() async {
    let scheduler = MainScheduler()
    onThreads(1) { _ in scheduler.schedule("taken back") { record($0) }.dispose() }
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    _ = scheduler.schedule("action") { record($0) }
    #expect(log.lines == ["action"])
  }

  @Test("the asynchronous instance always goes through the queue")
  @MainActor func asynchronous() async {
    await withCheckedContinuation { continuation in
      _ = MainScheduler.asyncInstance.schedule("action") {
        _ = record($0)
        continuation.resume()
        return Disposables.create()
      }
      log.add("after")
    }
    #expect(log.lines == ["after", "action"])
  }

  @Test("actions of another thread run on the main queue")
  func elsewhere() {
    let semaphore = TestSemaphore()
    let scheduler = MainScheduler.instance
    _ = scheduler.schedule("now") { record($0, then: semaphore) }
    #expect(semaphore.wait())
    _ = scheduler.scheduleRelative("later", dueTime: .milliseconds(1)) { record($0, then: semaphore) }
    #expect(semaphore.wait())
    let periodic = scheduler.schedulePeriodic(0, startAfter: .nanoseconds(0), period: .milliseconds(1)) {
      if $0 < 2 { _ = record("\($0)", then: semaphore) }
      return $0 + 1
    }
    #expect(semaphore.wait(for: 2))
    periodic.dispose()
    _ = ConcurrentMainScheduler.instance.schedule("concurrent") { record($0, then: semaphore) }
    #expect(semaphore.wait())
    _ = ConcurrentMainScheduler.instance.scheduleRelative("concurrent later", dueTime: .milliseconds(1)) {
      record($0, then: semaphore)
    }
    #expect(semaphore.wait())
    #expect(
      log.lines == ["now true", "later true", "0 true", "1 true", "concurrent true", "concurrent later true"])
  }

  @Test("ConcurrentMainScheduler always runs an action at once on the main queue")
  @MainActor func concurrent() {
    let scheduler = ConcurrentMainScheduler.instance
    _ = scheduler.schedule(()) {
      _ = scheduler.schedule("inner") { record($0) }
      return record("outer")
    }
    #expect(log.lines == ["inner", "outer"])
  }

  @Test("ConcurrentMainScheduler repeats work on the main queue, each run with the state of the previous one")
  func concurrentPeriodic() {
    let semaphore = TestSemaphore()
    let periodic = ConcurrentMainScheduler.instance.schedulePeriodic(
      0, startAfter: .nanoseconds(0), period: .milliseconds(1)
    ) {
      if $0 < 3 { _ = record("\($0)", then: semaphore) }
      return $0 + 1
    }
    #expect(semaphore.wait(for: 3))
    periodic.dispose()
    #expect(log.lines == ["0 true", "1 true", "2 true"])
  }

  @Test("observe(on:) delivers at once on the main queue, and moves elements of other threads there")
  func observe() async {
    let (log, semaphore) = (log, TestSemaphore())
    let subject = PublishSubject<Int>()
    let subscription = subject.observe(on: MainScheduler()).subscribe(onNext: {
      log.add("\($0) \(DispatchQueue.main.isCurrent)")
      semaphore.signal()
    })
    subject.onNext(1)
    #expect(semaphore.wait())
    await MainActor.run {
      subject.onNext(2)
      log.add("after")
    }
    #expect(log.lines == ["1 true", "2 true", "after"])
    subscription.dispose()
  }

  @Test("on the main queue the checks succeed")
  @MainActor func checks() {
    MainScheduler.ensureExecutingOnScheduler()
    MainScheduler.ensureRunningOnMainThread()
  }

  @Test("elsewhere the checks stop the process")
  func failingChecks() async {
    await #expect(processExitsWith: .failure) {
      DispatchQueue(label: "elsewhere").sync { MainScheduler.ensureExecutingOnScheduler() }
    }
    await #expect(processExitsWith: .failure) {
      DispatchQueue(label: "elsewhere").sync {
        MainScheduler.ensureRunningOnMainThread(errorMessage: "elsewhere")
      }
    }
  }

  @Test("work for another queue fails the check for the main queue, although that waits for it")
  func failingCheckInsideTheMainQueue() async {
    await #expect(processExitsWith: .failure) {
      await MainActor.run {
        DispatchQueue(label: "elsewhere").sync { MainScheduler.ensureExecutingOnScheduler() }
      }
    }
  }
}
