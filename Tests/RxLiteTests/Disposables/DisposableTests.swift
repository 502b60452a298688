import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("disposables", .timeLimit(.minutes(5)))
struct DisposableTests {
  private let log = Log()

  private func loggingDisposable(_ name: String) -> any Cancelable {
    Disposables.create(with: { log.add(name) })
  }

  @Test("an action runs once")
  func action() {
    let disposable = loggingDisposable("a")
    #expect(!disposable.isDisposed)
    disposable.dispose()
    disposable.dispose()
    #expect(disposable.isDisposed)
    #expect(log.lines == ["a"])
  }

  @Test("an action is released after it ran")
  func actionReleased() {
    let liveCount = TrackedObject.LiveCount()
    let disposable: any Cancelable
    do {
      let tracked = TrackedObject(in: liveCount)
      disposable = Disposables.create(with: { log.add("\(tracked.value)") })
    }
    #expect(liveCount.value == 1)
    disposable.dispose()
    #expect(liveCount.value == 0)
  }

  @Test("an action may dispose its own disposable")
  func reentrant() {
    let box = SingleAssignmentDisposable()
    box.setDisposable(
      Disposables.create(with: {
        log.add("a")
        box.dispose()
      }))
    box.dispose()
    #expect(log.lines == ["a"])
  }

  @Test("disposal sets a flag")
  func boolean() {
    let flag = BooleanDisposable()
    #expect(!flag.isDisposed)
    flag.dispose()
    #expect(flag.isDisposed)
    #expect(BooleanDisposable(isDisposed: true).isDisposed)
  }

  @Test("a group is disposed together, in order")
  func composite() {
    for group in [
      Disposables.create(loggingDisposable("a"), loggingDisposable("b")),
      Disposables.create([loggingDisposable("a"), loggingDisposable("b")]),
      CompositeDisposable(loggingDisposable("a"), loggingDisposable("b")),
      CompositeDisposable(disposables: [loggingDisposable("a"), loggingDisposable("b")]),
    ] {
      let before = log.lines.count
      group.dispose()
      group.dispose()
      #expect(group.isDisposed)
      #expect(Array(log.lines.dropFirst(before)) == ["a", "b"])
    }
  }

  @Test("a group accepts members, removes them, and disposes later ones at once")
  func compositeMembers() {
    let group = CompositeDisposable()
    let key = group.insert(loggingDisposable("a"))
    #expect(group.insert(loggingDisposable("b")) != nil)
    #expect(group.count == 2)
    if let key {
      group.remove(for: key)
      group.remove(for: key)
    }
    #expect(group.count == 1)
    #expect(log.lines == ["a"])
    group.dispose()
    #expect(group.insert(loggingDisposable("late")) == nil)
    #expect(log.lines == ["a", "b", "late"])
    #expect(group.count == 0)
  }

  @Test("a serial disposable disposes replaced content, and later content at once")
  func serial() {
    let serial = SerialDisposable()
    serial.disposable = loggingDisposable("a")
    serial.disposable = loggingDisposable("b")
    #expect(log.lines == ["a"])
    serial.dispose()
    #expect(serial.isDisposed)
    serial.disposable = loggingDisposable("late")
    #expect(log.lines == ["a", "b", "late"])
  }

  @Test("a single assignment may be set before or after disposal", arguments: [false, true])
  func singleAssignment(isLate: Bool) {
    let single = SingleAssignmentDisposable()
    if isLate { single.dispose() } else { single.setDisposable(loggingDisposable("a")) }
    if isLate { single.setDisposable(loggingDisposable("a")) } else { single.dispose() }
    single.dispose()
    #expect(single.isDisposed)
    #expect(log.lines == ["a"])
  }

  @Test("a bag disposes its members when it is released")
  func bag() {
    var bag: DisposeBag? = DisposeBag(disposing: loggingDisposable("a"))
    if let bag {
      loggingDisposable("b").disposed(by: bag)
      bag.insert(loggingDisposable("c"), loggingDisposable("d"))
      bag.insert([loggingDisposable("e")])
      bag.insert {
        loggingDisposable("f")
        loggingDisposable("g")
      }
    }
    #expect(log.lines == [])
    bag = nil
    #expect(log.lines == ["a", "b", "c", "d", "e", "f", "g"])
  }

  @Test("several threads dispose once")
  func threads() {
    for _ in 0..<100 {
      let log = Log()
      let group = CompositeDisposable()
      let disposable = Disposables.create(with: { log.add("a") })
      _ = group.insert(disposable)
      onThreads(3) { index in
        if index == 0 { _ = group.insert(Disposables.create(with: { log.add("late") })) }
        group.dispose()
        disposable.dispose()
      }
      #expect(log.lines.sorted() == ["a", "late"])
    }
  }

  @Test("a large group disposes its members in the order in which they were inserted")
  func compositeOrder() {
    let group = CompositeDisposable()
    let names = (0..<20).map { "\($0)" }
    for name in names { _ = group.insert(loggingDisposable(name)) }
    group.dispose()
    #expect(log.lines == names)
  }

  @Test("groups of three, four and more")
  func largerGroups() {
    Disposables.create(loggingDisposable("a"), loggingDisposable("b"), loggingDisposable("c")).dispose()
    Disposables.create(
      loggingDisposable("d"), loggingDisposable("e"), loggingDisposable("f"), loggingDisposable("g")
    ).dispose()
    CompositeDisposable(loggingDisposable("h"), loggingDisposable("i"), loggingDisposable("j")).dispose()
    #expect(log.lines == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"])
  }

  @Test("a serial disposable returns its content")
  func serialContent() {
    let (serial, content) = (SerialDisposable(), loggingDisposable("a"))
    serial.disposable = content
    serial.disposable.dispose()
    #expect(content.isDisposed)
    #expect(!serial.isDisposed)
  }

  @Test("a bag can be made from a list")
  func bagOfList() {
    do {
      _ = DisposeBag(disposing: loggingDisposable("a"), loggingDisposable("b"))
      _ = DisposeBag(disposing: [loggingDisposable("c")])
      _ = DisposeBag {
        loggingDisposable("d")
        loggingDisposable("e")
      }
    }
    #expect(log.lines == ["a", "b", "c", "d", "e"])
  }

  @Test("a single assignment that is set twice stops the process, unless it is disposed")
  func setTwice() async {
    let disposed = SingleAssignmentDisposable()
    disposed.dispose()
    disposed.setDisposable(loggingDisposable("a"))
    disposed.setDisposable(loggingDisposable("b"))
    #expect(log.lines == ["a", "b"])
    await #expect(processExitsWith: .failure) {
      let single = SingleAssignmentDisposable()
      single.setDisposable(Disposables.create())
      single.setDisposable(Disposables.create())
    }
  }
}
