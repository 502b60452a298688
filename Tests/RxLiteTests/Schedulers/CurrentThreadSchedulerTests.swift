import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("CurrentThreadScheduler", .timeLimit(.minutes(5)))
struct CurrentThreadSchedulerTests {
  private let scheduler = CurrentThreadScheduler.instance
  private let log = Log()

  private func record(_ line: String) -> any Disposable {
    log.add(line)
    return Disposables.create()
  }

  @Test("an action runs at once if none is running, and otherwise after the running one")
  func order() {
    #expect(CurrentThreadScheduler.isScheduleRequired)
    _ = scheduler.schedule("outer") { line in
      log.add("schedule required: \(CurrentThreadScheduler.isScheduleRequired)")
      _ = scheduler.schedule("first", action: record)
      _ = scheduler.schedule("second", action: record)
      return record(line)
    }
    #expect(log.lines == ["schedule required: false", "outer", "first", "second"])
    #expect(CurrentThreadScheduler.isScheduleRequired)
  }

  @Test("an action that is disposed before its turn does not run")
  func takenBack() {
    _ = scheduler.schedule(()) {
      let inner = scheduler.schedule("inner", action: record)
      _ = scheduler.schedule("other", action: record)
      inner.dispose()
      return Disposables.create()
    }
    #expect(log.lines == ["other"])
  }

  @Test("the result of an action is disposed with it")
  func result() {
    let (immediate, queued) = (BooleanDisposable(), BooleanDisposable())
    var inner: (any Disposable)?
    let outer = scheduler.schedule(()) {
      inner = scheduler.schedule(()) { queued }
      return immediate
    }
    #expect(!immediate.isDisposed && !queued.isDisposed)
    outer.dispose()
    #expect(immediate.isDisposed && !queued.isDisposed)
    inner?.dispose()
    #expect(queued.isDisposed)
  }
}
