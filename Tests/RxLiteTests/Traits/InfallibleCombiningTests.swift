import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("combineLatest and zip of infallibles")
struct InfallibleCombiningTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func just(_ number: Int) -> Infallible<Int> { .just(number) }

  private func all<Element>(_ infallible: Infallible<Element>) -> [Element] {
    var all: [Element] = []
    infallible.subscribe(onNext: { all.append($0) }).dispose()
    return all
  }

  /// An infallible of two elements, to be the last source: combineLatest sends two results, zip sends one.
  private func two(_ number: Int) -> Infallible<Int> { .of(0, number) }

  @Test("elements keep the times of the sources")
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

  @Test("any number of infallibles are combined, as an array or through a selector")
  func arrays() {
    #expect(all(Infallible.combineLatest([just(1), two(2)])) == [[1, 0], [1, 2]])
    #expect(all(Infallible.combineLatest([just(1), two(2)]) { $0.reduce(0, +) }) == [1, 3])
  }

  @Test("two to eight infallibles are combined through a selector")
  func selectors() {
    #expect(all(Infallible<Int>.combineLatest(just(1), two(2)) { [$0, $1].reduce(0, +) }) == [1, 3])
    #expect(
      all(Infallible<Int>.combineLatest(just(1), just(2), two(3)) { [$0, $1, $2].reduce(0, +) }) == [3, 6])
    #expect(
      all(Infallible<Int>.combineLatest(just(1), just(2), just(3), two(4)) { [$0, $1, $2, $3].reduce(0, +) })
        == [
          6, 10,
        ])
    #expect(
      all(
        Infallible<Int>.combineLatest(just(1), just(2), just(3), just(4), two(5)) {
          [$0, $1, $2, $3, $4].reduce(0, +)
        })
        == [10, 15])
    #expect(
      all(
        Infallible<Int>.combineLatest(just(1), just(2), just(3), just(4), just(5), two(6)) {
          [$0, $1, $2, $3, $4, $5].reduce(0, +)
        }) == [15, 21])
    #expect(
      all(
        Infallible<Int>.combineLatest(just(1), just(2), just(3), just(4), just(5), just(6), two(7)) {
          [$0, $1, $2, $3, $4, $5, $6].reduce(0, +)
        }) == [21, 28])
    #expect(
      all(
        Infallible<Int>.combineLatest(just(1), just(2), just(3), just(4), just(5), just(6), just(7), two(8)) {
          [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +)
        }) == [28, 36])
    #expect(all(Infallible<Int>.zip(just(1), two(2)) { [$0, $1].reduce(0, +) }) == [1])
    #expect(all(Infallible<Int>.zip(just(1), just(2), two(3)) { [$0, $1, $2].reduce(0, +) }) == [3])
    #expect(
      all(Infallible<Int>.zip(just(1), just(2), just(3), two(4)) { [$0, $1, $2, $3].reduce(0, +) }) == [6])
    #expect(
      all(
        Infallible<Int>.zip(just(1), just(2), just(3), just(4), two(5)) { [$0, $1, $2, $3, $4].reduce(0, +) })
        == [10])
    #expect(
      all(
        Infallible<Int>.zip(just(1), just(2), just(3), just(4), just(5), two(6)) {
          [$0, $1, $2, $3, $4, $5].reduce(0, +)
        })
        == [15])
    #expect(
      all(
        Infallible<Int>.zip(just(1), just(2), just(3), just(4), just(5), just(6), two(7)) {
          [$0, $1, $2, $3, $4, $5, $6].reduce(0, +)
        }) == [21])
    #expect(
      all(
        Infallible<Int>.zip(just(1), just(2), just(3), just(4), just(5), just(6), just(7), two(8)) {
          [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +)
        }) == [28])
  }

  @Test("two to eight infallibles are combined into tuples")
  func tuples() {
    #expect(all(Infallible.combineLatest(just(1), two(2))).map { $0.1 } == [0, 2])
    #expect(all(Infallible.combineLatest(just(1), just(2), two(3))).map { $0.2 } == [0, 3])
    #expect(all(Infallible.combineLatest(just(1), just(2), just(3), two(4))).map { $0.3 } == [0, 4])
    #expect(all(Infallible.combineLatest(just(1), just(2), just(3), just(4), two(5))).map { $0.4 } == [0, 5])
    #expect(
      all(Infallible.combineLatest(just(1), just(2), just(3), just(4), just(5), two(6))).map { $0.5 } == [
        0, 6,
      ])
    #expect(
      all(Infallible.combineLatest(just(1), just(2), just(3), just(4), just(5), just(6), two(7))).map { $0.6 }
        == [0, 7])
    #expect(
      all(Infallible.combineLatest(just(1), just(2), just(3), just(4), just(5), just(6), just(7), two(8))).map
      { $0.7 } == [0, 8])
  }
}
