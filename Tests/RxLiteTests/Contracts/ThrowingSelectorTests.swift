import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("Selectors that have thrown")
struct ThrowingSelectorTests {
  enum FlatteningOperator: CaseIterable, Sendable {
    case flatMap, flatMapLatest, concatMap

    func apply(_ source: Observable<Int>, _ selector: @escaping (Int) throws -> Observable<Int>)
      -> Observable<
        Int
      >
    {
      switch self {
      case .flatMap: source.flatMap(selector)
      case .flatMapLatest: source.flatMapLatest(selector)
      case .concatMap: source.concatMap(selector)
      }
    }
  }

  @Test("are not called again while the error is pending", arguments: FlatteningOperator.allCases)
  func waitingError(row: FlatteningOperator) {
    let (outer, inner) = (PublishSubject<Int>(), PublishSubject<Int>())
    let recorder = RecordingObserver<Int>()
    var calls: [Int] = []
    let sequence = row.apply(outer) { element in
      calls.append(element)
      if element > 0 { throw TestError.one }
      return inner
    }
    _ = sequence.subscribe { event in
      recorder.on(event)
      guard event.element != nil else { return }
      outer.onNext(1)
      outer.onNext(2)
    }
    outer.onNext(0)
    inner.onNext(10)
    #expect(calls == [0, 1])
    #expect(recorder.events == [.next(10), .error(TestError.one)])
  }
}
