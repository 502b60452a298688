import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Binder", .timeLimit(.minutes(5)))
struct BinderTests {
  final class Label: ReactiveCompatible {
    var text = ""
  }

  private let scheduler = TestScheduler(initialClock: 0)

  @Test("elements are set on the scheduler; completion is ignored")
  func binds() {
    let label = Label()
    var seen: [Recorded<String>] = []
    let (scheduler, source) = (scheduler, PublishSubject<String>())
    _ = source.bind(
      to: Binder(label, scheduler: scheduler) { label, text in
        label.text = text
        seen.append(Recorded(time: scheduler.clock, value: text))
      })
    scheduler.scheduleAt(210) { source.onNext("a") }
    scheduler.scheduleAt(220) { source.onCompleted() }
    scheduler.start()
    #expect(label.text == "a")
    #expect(seen == [Recorded(time: 211, value: "a")])
  }

  @Test("the target is not kept alive, and nothing happens after its release")
  func lifetime() {
    var calls = 0
    let source = PublishSubject<String>()
    do {
      let label = Label()
      let binder = Binder<String>(label, scheduler: CurrentThreadScheduler.instance) { _, _ in calls += 1 }
      _ = source.bind(to: binder.asObserver())
      source.onNext("a")
    }
    source.onNext("b")
    #expect(calls == 1)
  }

  @Test("an element that waits for the scheduler does not keep the target alive")
  func waitingElement() {
    var calls = 0
    weak var released: Label?
    do {
      let label = Label()
      released = label
      let binder = Binder<String>(label, scheduler: scheduler) { _, _ in calls += 1 }
      withExtendedLifetime(label) { binder.onNext("a") }
    }
    #expect(released == nil)
    scheduler.start()
    #expect(calls == 0)
  }

  @Test("without a scheduler, elements of other threads are set on the main queue")
  func mainQueue() {
    let (label, log, semaphore) = (Label(), Log(), TestSemaphore())
    let binder = Binder<String>(label) { label, text in
      label.text = text
      log.add("\(text) \(DispatchQueue.main.isCurrent)")
      semaphore.signal()
    }
    binder.onNext("a")
    #expect(semaphore.wait())
    #expect(log.lines == ["a true"])
    withExtendedLifetime(label) {}
  }

  @MainActor @Test("a property of a class is a binder in its namespace")
  func dynamicMember() {
    let label = Label()
    _ = Observable.just("a").bind(to: label.rx.text)
    #expect(label.text == "a")
  }

  /// Records the queue on which its property is set.
  final class RecordingLabel: ReactiveCompatible, Sendable {
    let log = Log()
    let semaphore = TestSemaphore()

    var text: String {
      get { "" }
      set {
        log.add("\(newValue) \(DispatchQueue.main.isCurrent)")
        semaphore.signal()
      }
    }
  }

  @Test("a property of a class is set on the main queue if the element comes from another thread")
  func dynamicMemberOnMainQueue() {
    let label = RecordingLabel()
    onThreads(1) { _ in label.rx.text.onNext("a") }
    #expect(label.semaphore.wait())
    #expect(label.log.lines == ["a true"])
  }

  @Test("an error goes to the hook, because it cannot be bound")
  func error() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      Hooks.defaultErrorHandler = { _, error in log.add("\(error)") }
      let label = Label()
      let binder = Binder<String>(label, scheduler: CurrentThreadScheduler.instance) { $0.text = $1 }
      _ = Observable.just("a").concat(Observable.error(TestError.one)).bind(to: binder)
      #expect(label.text == "a")
      #expect(log.lines == ["one"])
    }
  }

  @MainActor @Test("without a scheduler, an element that is sent on the main queue is set at once")
  func atOnceOnMainQueue() {
    let label = Label()
    let binder = Binder<String>(label) { $0.text = $1 }
    binder.onNext("a")
    #expect(label.text == "a")
  }
}
