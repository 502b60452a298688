import Dispatch
import RxLite
import RxLiteTesting
import Testing

@Suite("Marbles")
struct MarblesTests {
  private enum Failure: Error { case first, second }

  private let marbles = Marbles()

  private func events<Element>(
    _ diagram: String, values: [Character: Element] = [:], errors: [Character: any Error] = [:]
  ) throws -> [Recorded<Event<Element>>] {
    try marbles.events(diagram, values: values, errors: errors)
  }

  @Test("an element followed too soon is dropped")
  func example() throws {
    let marbles = Marbles()
    let typed = try marbles.hot("-a-bc---d|")
    let settled = typed.debounce(.seconds(2), scheduler: marbles.scheduler)
    try marbles.expect("------c--(d|)", from: settled)
    try marbles.expect(subscriptions: "^--------!", of: typed)
  }

  @Test("an element occurs in the column of its character")
  func elements() throws {
    #expect(try events("a-bc--d") == [.next(200, "a"), .next(202, "b"), .next(203, "c"), .next(206, "d")])
  }

  @Test("a bar completes, a hash fails")
  func ends() throws {
    #expect(try events("-a|") == [.next(201, "a"), .completed(202)])
    #expect(try events("-a#") == [.next(201, "a"), .error(202, MarbleFailure())])
    #expect(try events("") == [Recorded<Event<String>>]())
    #expect(try events("---") == [Recorded<Event<String>>]())
  }

  @Test("a group occurs at once, in the column where it opens, and takes its width")
  func groups() throws {
    #expect(
      try events("-(ab)c-(d|)") == [
        .next(201, "a"), .next(201, "b"), .next(205, "c"), .next(207, "d"), .completed(207),
      ])
  }

  @Test("spaces take no time")
  func spaces() throws {
    #expect(try events("  -a -\t(b |) ") == [.next(201, "a"), .next(203, "b"), .completed(203)])
  }

  @Test("the table defines elements; a character that is not in it represents itself")
  func values() throws {
    #expect(try events("-a-b", values: ["a": 1, "b": 20]) == [.next(201, 1), .next(203, 20)])
    #expect(try events("-7-a", values: ["a": 1]) == [.next(201, 7), .next(203, 1)])
    #expect(try events("-x-y", values: ["x": "long"]) == [.next(201, "long"), .next(203, "y")])
    #expect(try events("-n", values: ["n": Int?.none]) == [.next(201, Int?.none)])
    #expect(try events("-c") == [.next(201, Character("c"))])
  }

  @Test("the table defines errors, also for other characters")
  func errors() throws {
    let table: [Character: any Error] = ["#": Failure.first, "X": Failure.second]
    #expect(try events("-a#", errors: table) == [.next(201, "a"), .error(202, Failure.first)])
    #expect(try events("-aX", errors: table) == [.next(201, "a"), .error(202, Failure.second)])
    #expect(try events("-aX") == [.next(201, "a"), .next(202, "X")])
  }

  @Test("sequences of strings fail with the errors of the table")
  func errorsOfStrings() throws {
    let table: [Character: any Error] = ["#": Failure.first]
    try marbles.expect("-a#", errors: table, from: marbles.hot("-a#", errors: table))
    let other = Marbles()
    try other.expect("-a#", errors: table, from: other.cold("-a#", errors: table))
  }

  @Test("a column has the given length, and column 0 the given time")
  func columns() throws {
    let wide = Marbles(origin: 1_000, column: 10)
    #expect(try wide.events("-a-(b|)") == [.next(1_010, "a"), .next(1_030, "b"), .completed(1_030)])
    let source = try wide.cold("-a--|")
    try wide.expect("---a--|", from: source.delay(.seconds(20), scheduler: wide.scheduler))
    #expect(source.subscriptions == [Subscription(1_000, 1_040)])
  }

  @Test("a hot sequence sends in its columns, and events left of the mark precede the subscription")
  func hot() throws {
    let source = try marbles.hot("a--b-^-c-|")
    try marbles.expect("--c-|", from: source)
    #expect(
      source.recordedEvents == [.next(195, "a"), .next(198, "b"), .next(202, "c"), .completed(204)])
    try marbles.expect(subscriptions: "^---!", of: source)
  }

  @Test("a cold sequence starts with its subscription")
  func cold() throws {
    let source = try marbles.cold("1-2|")
    try marbles.expect("--1-2|", during: "--^", from: source.asObservable().map { $0 })
    try marbles.expect(subscriptions: "--^--!", of: source)
  }

  @Test("the first column of a hot sequence is received, and so is a group with the mark")
  func firstColumn() throws {
    let source = try marbles.hot("a-b|")
    try marbles.expect("a-b|", from: source)
    let other = Marbles()
    try other.expect("a---b", from: other.hot("x(^a)b"))
  }

  @Test("column 0 may be the current time of the clock")
  func originAtTheClock() throws {
    let marbles = Marbles(origin: 0)
    let source = try marbles.hot("a-b|")
    try marbles.expect("a-b|", from: source)
    try marbles.expect(subscriptions: "^--!", of: source)
  }

  @Test("in one column subscriptions begin and end first, then hot sequences send, then timers fire")
  func order() throws {
    let source = try marbles.hot("-a-b-c-d-")
    try marbles.expect("---b-", during: "---^-!", from: source)
    try marbles.expect(subscriptions: "---^-!", of: source)

    let timed = Marbles()
    let typed = try timed.hot("-a-b----|")
    try timed.expect("-----b--|", from: typed.debounce(.seconds(2), scheduler: timed.scheduler))
  }

  @Test("without an end a subscription lasts a thousand columns, so that timers end")
  func endless() throws {
    let clock = Observable<Int>.interval(.seconds(1), scheduler: marbles.scheduler)
    let source = try marbles.cold("-a-")
    try marbles.expect("-a-", from: source.withLatestFrom(clock.startWith(0)) { element, _ in element })
    try marbles.expect(subscriptions: "^", of: source)
    #expect(marbles.scheduler.clock == 1_200)
  }

  @Test("the thousand columns are longer if a column has several ticks")
  func endlessInWideColumns() throws {
    let wide = Marbles(column: 10)
    let source = try wide.cold("-a-")
    try wide.expect("-a-", from: source)
    try wide.expect(subscriptions: "^", of: source)
    #expect(wide.scheduler.clock == 10_200)
  }

  @Test("a subscription begins and ends in columns of the given length")
  func subscriptionInWideColumns() throws {
    let wide = Marbles(column: 10)
    let source = try wide.hot("-a-b-c-")
    try wide.expect("---b", during: "--^-!", from: source)
    try wide.expect(subscriptions: "--^-!", of: source)
    #expect(source.subscriptions == [Subscription(220, 240)])
  }

  @Test("every subscription has a diagram, even one that ends at once")
  func subscriptions() throws {
    let source = try marbles.cold("--#")
    let other = try marbles.hot("|")
    let started = other.ignoreElements().asCompletable().andThen(source.asObservable().retry(2))
    try marbles.expect("----#", from: started)
    try marbles.expect(subscriptions: "^-!", "--^-!", of: source)
    try marbles.expect(subscriptions: "(^!)", of: other)
  }

  @Test("events that an observer has recorded are compared in the same way")
  func recorded() throws {
    let source = try marbles.hot("-a-b|")
    let observer = marbles.scheduler.start { source.map { $0 + $0 } }
    try marbles.expect("-x-y|", values: ["x": "aa", "y": "bb"], events: observer.events)
  }

  @Test("traits are drawn like sequences")
  func traits() throws {
    try marbles.expect(
      "---(1|)", from: Single<Int>.timer(.seconds(3), scheduler: marbles.scheduler).map { $0 + 1 })
    let other = Marbles()
    try other.expect("--|", from: other.cold("-a|").ignoreElements().asCompletable())
  }

  @Test("a test leaves nothing behind")
  func lifetime() throws {
    weak var scheduler: TestScheduler?
    do {
      let marbles = Marbles()
      scheduler = marbles.scheduler
      try marbles.expect("-a|", from: marbles.hot("-a|"))
      #expect(scheduler != nil)
    }
    #expect(scheduler == nil)
  }

  @Test("a column that takes no time stops the process", .timeLimit(.minutes(5)))
  func preconditions() async {
    await #expect(processExitsWith: .failure) { _ = Marbles(column: 0) }
  }

  @Test("recorded events are compared with the errors of the table")
  func errorsOfRecordedEvents() throws {
    let table: [Character: any Error] = ["#": Failure.first, "X": Failure.second]
    try marbles.expect("-a#", errors: table, events: [.next(201, "a"), .error(202, Failure.first)])
    try marbles.expect("-aX", errors: table, events: [.next(201, "a"), .error(202, Failure.second)])
  }

  @Test("the table defines the elements of hot and cold sequences")
  func valuesOfSequences() throws {
    let table: [Character: Int] = ["a": 10, "2": 20]
    try marbles.expect("-a-2|", values: table, from: marbles.hot("-a-2|", values: table))
    let other = Marbles()
    try other.expect("-a-2|", values: table, from: other.cold("-a-2|", values: table))
  }
}
