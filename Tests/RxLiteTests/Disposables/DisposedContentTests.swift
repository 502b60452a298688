import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("The content of a disposable", .timeLimit(.minutes(5)))
struct DisposedContentTests {
  /// A disposable that, unlike `Disposables.create(with:)`, logs each call.
  private final class LoggingDisposable: Disposable {
    private let log: Log

    init(_ log: Log) {
      self.log = log
    }

    func dispose() { log.add("disposed") }
  }

  @Test("the content of a disposed SerialDisposable is released, and disposed only once")
  func serial() {
    let (log, serial) = (Log(), SerialDisposable())
    weak var released: LoggingDisposable?
    do {
      let content = LoggingDisposable(log)
      released = content
      serial.disposable = content
    }
    #expect(released != nil)
    serial.dispose()
    serial.dispose()
    #expect(log.lines == ["disposed"])
    #expect(released == nil)
  }

  @Test("the content of a disposed SingleAssignmentDisposable is released, and disposed only once")
  func singleAssignment() {
    let (log, single) = (Log(), SingleAssignmentDisposable())
    weak var released: LoggingDisposable?
    do {
      let content = LoggingDisposable(log)
      released = content
      single.setDisposable(content)
    }
    #expect(released != nil)
    single.dispose()
    single.dispose()
    #expect(log.lines == ["disposed"])
    #expect(released == nil)
  }

  @Test("a disposal may use the disposable that causes it")
  func reentrant() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      func content(of owner: any Cancelable, _ name: String) -> any Disposable {
        Disposables.create(with: { log.add("\(name) \(owner.isDisposed)") })
      }
      let group = CompositeDisposable()
      let key = group.insert(content(of: group, "removed"))
      _ = group.insert(content(of: group, "member"))
      if let key { group.remove(for: key) }
      group.dispose()
      _ = group.insert(content(of: group, "late member"))
      let serial = SerialDisposable()
      serial.disposable = content(of: serial, "replaced")
      serial.disposable = content(of: serial, "content")
      serial.dispose()
      serial.disposable = content(of: serial, "late content")
      #expect(
        log.lines == [
          "removed false", "member true", "late member true", "replaced false", "content true",
          "late content true",
        ])
    }
  }

  @Test("a disposal may use the disposable that causes it, whatever its kind")
  func reentrantOfEachKind() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      func dispose(_ name: String, _ make: (any Cancelable) -> any Cancelable) {
        let owner = DisposableHolder()
        let content = Disposables.create(with: {
          log.add("\(name) \(owner.disposable?.isDisposed == true)")
          owner.disposable?.dispose()
        })
        owner.disposable = make(content)
        owner.disposable?.dispose()
      }
      dispose("action") { $0 }
      dispose("pair") { Disposables.create($0, Disposables.create()) }
      dispose("count") { RefCountDisposable(disposable: $0) }
      dispose("scheduled") {
        ScheduledDisposable(scheduler: CurrentThreadScheduler.instance, disposable: $0)
      }
      let single = SingleAssignmentDisposable()
      single.dispose()
      single.setDisposable(
        Disposables.create(with: {
          log.add("late \(single.isDisposed)")
          single.dispose()
        }))
      #expect(log.lines == ["action true", "pair true", "count true", "scheduled true", "late true"])
    }
  }
}

private final class DisposableHolder: @unchecked Sendable {
  // Sendable: used on one thread.
  var disposable: (any Cancelable)?
}
