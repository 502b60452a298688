import RxLite
import RxLiteTesting
import Testing

@Suite("map, filter, compactMap, scan and startWith")
struct TransformTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source() -> TestableObservable<Int> {
    scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
  }

  @Test("map makes an element of each element, of another type too")
  func map() {
    let source = source()
    let observer = scheduler.start { source.map { "\($0 * 10)" } }
    #expect(observer.events == [.next(210, "10"), .next(220, "20"), .next(230, "30"), .completed(250)])
  }

  @Test("map may make optionals, and hands nil on")
  func mapToNil() {
    let source = source()
    let observer = scheduler.start { source.map { $0 == 2 ? nil : $0 } }
    #expect(observer.events == [.next(210, 1), .next(220, nil), .next(230, 3), .completed(250)])
  }

  @Test("filter keeps what satisfies the predicate")
  func filter() {
    let source = source()
    #expect(
      scheduler.start { source.filter { $0 % 2 == 1 } }.events == [
        .next(210, 1), .next(230, 3), .completed(250),
      ])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("compactMap leaves nil out")
  func compactMap() {
    let source = source()
    let observer = scheduler.start { source.compactMap { $0 == 2 ? nil : "\($0)" } }
    #expect(observer.events == [.next(210, "1"), .next(230, "3"), .completed(250)])
  }

  @Test("scan sends each intermediate result, and not the seed", arguments: [false, true])
  func scan(into: Bool) {
    let source = source()
    let observer = scheduler.start {
      into ? source.scan(into: 100) { $0 += $1 } : source.scan(100) { $0 + $1 }
    }
    #expect(observer.events == [.next(210, 101), .next(220, 103), .next(230, 106), .completed(250)])
  }

  @Test("scan starts each subscription from the seed")
  func scanAnew() {
    let sums = Observable.of(1, 2).scan(into: []) { $0.append($1) }
    let probe = Probe<[Int]>()
    _ = sums.concat(sums).subscribe(probe)
    #expect(probe.elements == [[1], [1, 2], [1], [1, 2]])
  }

  @Test("startWith sends its elements at subscription, before all others")
  func startWith() {
    let source = source()
    let observer = scheduler.start { source.startWith(8, 9) }
    #expect(
      observer.events == [
        .next(200, 8), .next(200, 9), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250),
      ])
  }

  @Test("startWith sends its elements before those a source sends at once")
  func startWithSynchronous() {
    let probe = Probe<Int>()
    _ = Observable.of(2, 3).startWith(1).subscribe(probe)
    #expect(probe.events == [.next(1), .next(2), .next(3), .completed])
  }
}
