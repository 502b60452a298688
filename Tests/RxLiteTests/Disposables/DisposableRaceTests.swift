import RxLite
@testable import RxLiteTestSupport
import Testing

/// The first caller disposes; later content is disposed too; nothing is disposed twice.
@Suite("Disposal on several threads", .timeLimit(.minutes(5)))
struct DisposableRaceTests {
  private let rounds = 200

  /// Disposables that record their names.
  private func loggingDisposable(_ log: Log, _ name: String) -> any Disposable {
    // Not `Disposables.create(with:)`, which always runs its action only once.
    LoggingDisposable(log: log, name: name)
  }

  private struct LoggingDisposable: Disposable {
    let log: Log
    let name: String

    func dispose() { log.add(name) }
  }

  @Test("a group disposes each member once while its members change")
  func composite() {
    for _ in 0..<rounds {
      let (log, group) = (Log(), CompositeDisposable())
      onThreads(3) { thread in
        if thread == 2 { return group.dispose() }
        for index in 0..<10 {
          let key = group.insert(loggingDisposable(log, "\(thread) \(index)"))
          if index % 2 == 0, let key { group.remove(for: key) }
        }
      }
      #expect(log.lines.count == 20)
      #expect(Set(log.lines).count == 20)
    }
  }

  @Test("a serial disposable disposes each content once while it is replaced")
  func serial() {
    for _ in 0..<rounds {
      let (log, serial) = (Log(), SerialDisposable())
      onThreads(3) { thread in
        if thread == 2 { return serial.dispose() }
        for index in 0..<10 { serial.disposable = loggingDisposable(log, "\(thread) \(index)") }
      }
      #expect(log.lines.count == 20)
      #expect(Set(log.lines).count == 20)
    }
  }

  @Test("a single assignment disposes its content once while it is set")
  func singleAssignment() {
    for _ in 0..<rounds {
      let (log, single) = (Log(), SingleAssignmentDisposable())
      onThreads(3) { thread in
        if thread == 0 { single.setDisposable(loggingDisposable(log, "content")) } else { single.dispose() }
      }
      #expect(log.lines == ["content"])
    }
  }

  @Test("a reference count disposes its content once while others retain and release it")
  func refCount() {
    for _ in 0..<rounds {
      let log = Log()
      let counted = RefCountDisposable(disposable: loggingDisposable(log, "content"))
      onThreads(3) { thread in
        if thread == 2 { return counted.dispose() }
        for _ in 0..<10 {
          let retained = counted.retain()
          retained.dispose()
          retained.dispose()
        }
      }
      #expect(log.lines == ["content"])
      #expect(counted.isDisposed)
    }
  }

  @Test("a scheduled disposable disposes its content once")
  func scheduled() {
    for _ in 0..<rounds {
      let log = Log()
      let scheduled = ScheduledDisposable(
        scheduler: CurrentThreadScheduler.instance, disposable: loggingDisposable(log, "content"))
      onThreads(3) { _ in scheduled.dispose() }
      #expect(log.lines == ["content"])
    }
  }
}
