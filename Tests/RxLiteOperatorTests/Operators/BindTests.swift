import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("bind", .timeLimit(.minutes(5)))
struct BindTests {
  private final class Label {
    var text = ""
  }

  @Test("several observers receive each event, including those of the optional type")
  func observers() {
    let (first, second, optional) = (
      RecordingObserver<Int>(), RecordingObserver<Int>(), RecordingObserver<Int?>()
    )
    _ = Observable.just(1).bind(to: first, second)
    _ = Observable.just(1).bind(to: optional)
    #expect(first.events == [.next(1), .completed])
    #expect(second.events == [.next(1), .completed])
    #expect(optional.events == [.next(1), .completed])
  }

  @Test("several observers of the optional type receive every event")
  func severalOptionalObservers() {
    let recorders = (0..<2).map { _ in RecordingObserver<Int?>() }
    _ = Observable.of(1, 2).bind(to: recorders[0], recorders[1])
    for recorder in recorders { #expect(recorder.events == [.next(1), .next(2), .completed]) }
  }

  @Test("a function may do the binding, with or without another argument")
  func functions() {
    let source = Observable.just(1)
    #expect(source.bind(to: { $0 === source }))
    let sum = source.bind(to: { _ in { (argument: Int) in argument + 1 } }, curriedArgument: 2)
    #expect(sum == 3)
  }

  @Test("closures receive each element, with an object while it is alive")
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

  @Test("an error that a closure cannot receive goes to the hook, completion is ignored")
  func ends() async {
    await #expect(processExitsWith: .success) {
      let log = Log()
      Hooks.defaultErrorHandler = { _, error in log.add("\(error)") }
      _ = Observable<Int>.error(TestError.one).bind(onNext: { _ in })
      _ = Observable<Int>.empty().bind(onNext: { _ in })
      #expect(log.lines == ["one"])
    }
  }
}
