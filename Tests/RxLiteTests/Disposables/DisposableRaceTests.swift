import RxLite
import Testing

/// The first caller disposes; later content is disposed too; nothing is disposed twice.
@Suite("several threads dispose", .timeLimit(.minutes(5)))
struct DisposableRaceTests {
  private let rounds = 200

  /// Disposables that record their names.
  private func noting(_ log: Log, _ name: String) -> any Disposable {
    // Not `Disposables.create(with:)`, which always runs its action only once.
    Noting(log: log, name: name)
  }

  private struct Noting: Disposable {
    let log: Log
    let name: String

    func dispose() { log.add(name) }
  }

  @Test("a group whose members change")
  func composite() {
    for _ in 0..<rounds {
      let (log, group) = (Log(), CompositeDisposable())
      onThreads(3) { thread in
        if thread == 2 { return group.dispose() }
        for index in 0..<10 {
          let key = group.insert(noting(log, "\(thread) \(index)"))
          if index % 2 == 0, let key { group.remove(for: key) }
        }
      }
      #expect(log.lines.count == 20)
      #expect(Set(log.lines).count == 20)
    }
  }

  @Test("a serial disposable whose content is replaced")
  func serial() {
    for _ in 0..<rounds {
      let (log, serial) = (Log(), SerialDisposable())
      onThreads(3) { thread in
        if thread == 2 { return serial.dispose() }
        for index in 0..<10 { serial.disposable = noting(log, "\(thread) \(index)") }
      }
      #expect(log.lines.count == 20)
      #expect(Set(log.lines).count == 20)
    }
  }

  @Test("a single assignment, while its content is set")
  func singleAssignment() {
    for _ in 0..<rounds {
      let (log, single) = (Log(), SingleAssignmentDisposable())
      onThreads(3) { thread in
        if thread == 0 { single.setDisposable(noting(log, "content")) } else { single.dispose() }
      }
      #expect(log.lines == ["content"])
    }
  }

  @Test("a reference count, while others retain and release it")
  func refCount() {
    for _ in 0..<rounds {
      let log = Log()
      let counted = RefCountDisposable(disposable: noting(log, "content"))
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

  @Test("a scheduled disposable")
  func scheduled() {
    for _ in 0..<rounds {
      let log = Log()
      let scheduled = ScheduledDisposable(
        scheduler: CurrentThreadScheduler.instance, disposable: noting(log, "content"))
      onThreads(3) { _ in scheduled.dispose() }
      #expect(log.lines == ["content"])
    }
  }
}
