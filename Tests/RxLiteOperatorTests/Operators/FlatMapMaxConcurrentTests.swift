import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("flatMap(maxConcurrent:)")
struct FlatMapMaxConcurrentTests {
  private let marbles = Marbles()

  @Test("sequences beyond the limit wait, in order, until one has completed")
  func waits() throws {
    let outer = try marbles.hot("-abc----|")
    let inner = try ["a": marbles.cold("-1---1|"), "b": marbles.cold("-2|"), "c": marbles.cold("-3-3|")]
    let merged = outer.flatMap(maxConcurrent: 2) { inner[$0]?.asObservable() ?? .empty() }
    try marbles.expect("--12-313|", from: merged)
    try marbles.expect(subscriptions: "-^-----!", of: #require(inner["a"]))
    try marbles.expect(subscriptions: "--^-!", of: #require(inner["b"]))
    try marbles.expect(subscriptions: "----^---!", of: #require(inner["c"]))
    try marbles.expect(subscriptions: "^-------!", of: outer)
  }

  @Test("the selector is called when an element arrives, not when its sequence starts")
  func selectorAtOnce() throws {
    let outer = try marbles.hot("ab-")
    var calls: [TestTime] = []
    let merged = outer.flatMap(maxConcurrent: 1) { _ in
      calls.append(marbles.scheduler.clock)
      return Observable<String>.never()
    }
    try marbles.expect("-", during: "^----!", from: merged)
    #expect(calls == [200, 201])
  }

  @Test("with a limit of one, sequences follow each other and do not wait needlessly")
  func extremes() throws {
    for (limit, expected) in [(1, "-12--12-|"), (.max, "-1212-|")] {
      let marbles = Marbles()
      let outer = try marbles.hot("x-x---|")
      let inner = try marbles.cold("-12-|")
      try marbles.expect(expected, from: outer.flatMap(maxConcurrent: limit) { _ in inner })
    }
  }

  @Test("with a limit of 0, none is subscribed to", arguments: [0, -1])
  func noRoom(limit: Int) throws {
    let outer = try marbles.hot("a-|")
    let inner = try marbles.cold("1|")
    try marbles.expect("--|", from: outer.flatMap(maxConcurrent: limit) { _ in inner })
    #expect(inner.subscriptions.isEmpty)
  }

  @Test("an error of an inner sequence ends all, and waiting sequences are never subscribed to")
  func innerError() throws {
    let outer = try marbles.hot("ab-----|")
    let (first, second) = (try marbles.cold("-1-#"), try marbles.cold("-2|"))
    let merged = outer.flatMap(maxConcurrent: 1) { $0 == "a" ? first : second }
    try marbles.expect("-1-#", from: merged)
    try marbles.expect(subscriptions: "^--!", of: outer)
    #expect(second.subscriptions.isEmpty)
  }

  @Test("an error of the source ends all")
  func sourceError() throws {
    let outer = try marbles.hot("a-#")
    let inner = try marbles.cold("-1-1-1|")
    try marbles.expect("-1#", from: outer.flatMap(maxConcurrent: 1) { _ in inner })
    try marbles.expect(subscriptions: "^-!", of: inner)
  }

  @Test("an error that the selector throws ends all")
  func selectorThrows() throws {
    let outer = try marbles.hot("a-b-|")
    let inner = try marbles.cold("-1-1-1|")
    let merged = outer.flatMap(maxConcurrent: 2) { element in
      if element == "b" { throw TestError.one }
      return inner
    }
    try marbles.expect("-1#", errors: ["#": TestError.one], from: merged)
    try marbles.expect(subscriptions: "^-!", of: inner)
  }

  @Test("disposal disposes running sequences and drops waiting ones")
  func disposed() throws {
    let outer = try marbles.hot("ab---|")
    let (first, second) = (try marbles.cold("-1-1-1|"), try marbles.cold("-2|"))
    let merged = outer.flatMap(maxConcurrent: 1) { $0 == "a" ? first : second }
    try marbles.expect("-1", during: "^-!", from: merged)
    try marbles.expect(subscriptions: "^-!", of: first)
    #expect(second.subscriptions.isEmpty)
  }

  @Test("an empty source completes, a silent one stays silent")
  func withoutElements() throws {
    let inner = try marbles.cold("-1|")
    try marbles.expect("--|", from: marbles.hot("--|").flatMap(maxConcurrent: 1) { _ in inner })
    let never = Marbles()
    try never.expect("-", from: never.hot("-").flatMap(maxConcurrent: 1) { _ in inner })
  }

  @Test("the selector is called, and may throw, even if `maxConcurrent` is 0")
  func noRoomThrows() throws {
    let outer = try marbles.hot("a-b-|")
    let merged = outer.flatMap(maxConcurrent: 0) { element in
      if element == "b" { throw TestError.one }
      return Observable<String>.never()
    }
    try marbles.expect("--#", errors: ["#": TestError.one], from: merged)
  }
}
