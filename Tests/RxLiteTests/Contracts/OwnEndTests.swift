import RxLite
import Testing

/// What an operator ends by itself it ends once, even where the source cannot be disposed yet and goes on.
@Suite("Operators that end by themselves")
struct OwnEndTests {
  private func attempts(_ apply: @escaping (Observable<Int>) -> Observable<Int>) -> (
    attempts: Int, probe: Probe<Int>
  ) {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return Observable<Int>.never().startWith(1, 2, 3, 4)
    }
    let probe = Probe<Int>()
    _ = apply(source).retry(3).subscribe(probe)
    return (attempts, probe)
  }

  @Test("reduce")
  func reduce() {
    let (attempts, probe) = attempts { $0.reduce(0) { _, _ in throw TestError.one } }
    #expect(attempts == 3)
    #expect(probe.events == [.error(TestError.one)])
  }

  @Test("single")
  func single() {
    let (attempts, probe) = attempts { $0.single() }
    #expect(attempts == 3)
    #expect(probe.events == [.next(1), .next(1), .next(1), .error(RxError.moreThanOneElement)])
  }

  @Test("dematerialize")
  func dematerialize() {
    let (attempts, probe) = attempts { $0.map { _ in Event<Int>.error(TestError.one) }.dematerialize() }
    #expect(attempts == 3)
    #expect(probe.events == [.error(TestError.one)])
  }

  @Test("element(at:)")
  func elementAt() {
    let probe = Probe<Int>()
    let source = Observable<Int>.never().startWith(1, 2, 3, 4)
    _ = source.element(at: 0).concat(source.element(at: 1)).subscribe(probe)
    #expect(probe.events == [.next(1), .next(2), .completed])
  }
}
