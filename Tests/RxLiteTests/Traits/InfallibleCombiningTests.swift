import RxLite
import RxLiteTesting
import Testing

@Suite("combineLatest and zip of infallibles")
struct InfallibleCombiningTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func i(_ number: Int) -> Infallible<Int> { .just(number) }

  private func last<Element>(_ infallible: Infallible<Element>) -> Element? {
    var last: Element?
    infallible.subscribe(onNext: { last = $0 }).dispose()
    return last
  }

  @Test("they keep the times of the sources")
  func times() {
    let first = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    let second = scheduler.hot(.next(215, 10), .completed(240))
    let (latest, zipped) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    let infallibles = [first, second].map { $0.asInfallible(onErrorJustReturn: 0) }
    scheduler.scheduleAt(200) {
      _ = Infallible.combineLatest(infallibles[0], infallibles[1]) { $0 + $1 }.asObservable().subscribe(
        latest)
      _ = Infallible.zip(infallibles[0], infallibles[1]) { $0 + $1 }.asObservable().subscribe(zipped)
    }
    scheduler.start()
    #expect(latest.events == [.next(215, 11), .next(220, 12), .completed(240)])
    #expect(zipped.events == [.next(215, 11), .completed(240)])
  }

  @Test("any number, as an array or through a selector")
  func arrays() {
    #expect(last(Infallible.combineLatest([i(1), i(2)])) == [1, 2])
    #expect(last(Infallible.combineLatest([i(1), i(2)]) { $0.reduce(0, +) }) == 3)
  }

  @Test("two to eight, through a selector")
  func selectors() {
    #expect(last(Infallible<Int>.combineLatest(i(1), i(2)) { [$0, $1].reduce(0, +) }) == 3)
    #expect(last(Infallible<Int>.combineLatest(i(1), i(2), i(3)) { [$0, $1, $2].reduce(0, +) }) == 6)
    #expect(
      last(Infallible<Int>.combineLatest(i(1), i(2), i(3), i(4)) { [$0, $1, $2, $3].reduce(0, +) }) == 10)
    #expect(
      last(Infallible<Int>.combineLatest(i(1), i(2), i(3), i(4), i(5)) { [$0, $1, $2, $3, $4].reduce(0, +) })
        == 15)
    #expect(
      last(
        Infallible<Int>.combineLatest(i(1), i(2), i(3), i(4), i(5), i(6)) {
          [$0, $1, $2, $3, $4, $5].reduce(0, +)
        }) == 21)
    #expect(
      last(
        Infallible<Int>.combineLatest(i(1), i(2), i(3), i(4), i(5), i(6), i(7)) {
          [$0, $1, $2, $3, $4, $5, $6].reduce(0, +)
        }) == 28)
    #expect(
      last(
        Infallible<Int>.combineLatest(i(1), i(2), i(3), i(4), i(5), i(6), i(7), i(8)) {
          [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +)
        }) == 36)
    #expect(last(Infallible<Int>.zip(i(1), i(2)) { [$0, $1].reduce(0, +) }) == 3)
    #expect(last(Infallible<Int>.zip(i(1), i(2), i(3)) { [$0, $1, $2].reduce(0, +) }) == 6)
    #expect(last(Infallible<Int>.zip(i(1), i(2), i(3), i(4)) { [$0, $1, $2, $3].reduce(0, +) }) == 10)
    #expect(
      last(Infallible<Int>.zip(i(1), i(2), i(3), i(4), i(5)) { [$0, $1, $2, $3, $4].reduce(0, +) }) == 15)
    #expect(
      last(Infallible<Int>.zip(i(1), i(2), i(3), i(4), i(5), i(6)) { [$0, $1, $2, $3, $4, $5].reduce(0, +) })
        == 21)
    #expect(
      last(
        Infallible<Int>.zip(i(1), i(2), i(3), i(4), i(5), i(6), i(7)) {
          [$0, $1, $2, $3, $4, $5, $6].reduce(0, +)
        }) == 28)
    #expect(
      last(
        Infallible<Int>.zip(i(1), i(2), i(3), i(4), i(5), i(6), i(7), i(8)) {
          [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +)
        }) == 36)
  }

  @Test("two to eight, into tuples")
  func tuples() {
    #expect(last(Infallible.combineLatest(i(1), i(2)))?.1 == 2)
    #expect(last(Infallible.combineLatest(i(1), i(2), i(3)))?.2 == 3)
    #expect(last(Infallible.combineLatest(i(1), i(2), i(3), i(4)))?.3 == 4)
    #expect(last(Infallible.combineLatest(i(1), i(2), i(3), i(4), i(5)))?.4 == 5)
    #expect(last(Infallible.combineLatest(i(1), i(2), i(3), i(4), i(5), i(6)))?.5 == 6)
    #expect(last(Infallible.combineLatest(i(1), i(2), i(3), i(4), i(5), i(6), i(7)))?.6 == 7)
    #expect(last(Infallible.combineLatest(i(1), i(2), i(3), i(4), i(5), i(6), i(7), i(8)))?.7 == 8)
  }
}
