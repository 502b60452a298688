import RxLite
import RxLiteTesting
import Testing

@Suite("Binder and bind(to:)")
struct BinderTests {
  final class Label: ReactiveCompatible {
    var text = ""
  }

  private let scheduler = TestScheduler(initialClock: 0)

  @Test("elements are set on the scheduler, the end is not")
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

  @Test("the target is not kept alive, and nothing happens once it is gone")
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

  @MainActor @Test("a property of a class is a binder in its namespace")
  func dynamicMember() {
    let label = Label()
    _ = Observable.just("a").bind(to: label.rx.text)
    #expect(label.text == "a")
  }

  @Test("several observers get each event, those of the optional type too")
  func observers() {
    let (first, second, optional) = (Probe<Int>(), Probe<Int>(), Probe<Int?>())
    _ = Observable.just(1).bind(to: first, second)
    _ = Observable.just(1).bind(to: optional)
    #expect(first.events == [.next(1), .completed])
    #expect(second.events == [.next(1), .completed])
    #expect(optional.events == [.next(1), .completed])
  }

  @Test("a function may do the binding, with one more argument or without")
  func functions() {
    let source = Observable.just(1)
    #expect(source.bind(to: { $0 === source }))
    let sum = source.bind(to: { _ in { (argument: Int) in argument + 1 } }, curriedArgument: 2)
    #expect(sum == 3)
  }

  @Test("closures get each element, with an object while it lives")
  func closures() {
    var elements: [Int] = []
    let source = PublishSubject<Int>()
    _ = source.bind(onNext: { elements.append($0) })
    do {
      let label = Label()
      _ = source.bind(with: label) { label, element in
        label.text += "\(element)"
        elements.append(label.text.count * 10)
      }
      source.onNext(1)
    }
    source.onNext(2)
    #expect(elements == [1, 10, 2])
  }
}
