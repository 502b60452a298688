import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Timed operators, in marble diagrams")
struct TimedOperatorMarbleTests {
  private let marbles = Marbles()
  private var scheduler: TestScheduler { marbles.scheduler }

  @Test("debounce sends elements that are followed by silence, and the waiting element at completion")
  func debounce() throws {
    let source = try marbles.hot("-a-b----c-|")
    try marbles.expect("-----b----(c|)", from: source.debounce(.seconds(2), scheduler: scheduler))
    try marbles.expect(subscriptions: "^---------!", of: source)
  }

  @Test("debounce drops the waiting element when the source fails")
  func debounceError() throws {
    let source = try marbles.hot("-a---b#")
    try marbles.expect("---a--#", from: source.debounce(.seconds(2), scheduler: scheduler))
  }

  @Test("throttle sends the first element at once and the latest when its time is up")
  func throttle() throws {
    let source = try marbles.hot("-abc-----ef-|")
    try marbles.expect("-a--c----e--(f|)", from: source.throttle(.seconds(3), scheduler: scheduler))
  }

  @Test("throttle without the latest sends only the first element of each span")
  func throttleFirst() throws {
    let source = try marbles.hot("-abc-----ef-|")
    let throttled = source.throttle(.seconds(3), latest: false, scheduler: scheduler)
    try marbles.expect("-a-------e--|", from: throttled)
  }

  @Test("throttle delays completion until the held element is sent")
  func throttleEnd() throws {
    let source = try marbles.hot("-ab|")
    try marbles.expect("-a---(b|)", from: source.throttle(.seconds(4), scheduler: scheduler))
  }

  @Test("delay shifts elements and completion; simultaneous elements take a step each")
  func delay() throws {
    let source = try marbles.hot("-ab-(cd)-|")
    try marbles.expect("---ab-cd---|", from: source.delay(.seconds(2), scheduler: scheduler))
    try marbles.expect(subscriptions: "^--------!", of: source)
  }

  @Test("delay sends an error at once and drops the waiting elements")
  func delayError() throws {
    let source = try marbles.hot("-a-b-c#")
    try marbles.expect("---a-b#", from: source.delay(.seconds(2), scheduler: scheduler))
  }

  @Test("timeout fails when no event arrives in time")
  func timeout() throws {
    let source = try marbles.hot("-a--b----c|")
    try marbles.expect(
      "-a--b--#", errors: ["#": RxError.timeout],
      from: source.timeout(.seconds(3), scheduler: scheduler))
    try marbles.expect(subscriptions: "^------!", of: source)
  }

  @Test("timeout continues with the other sequence")
  func timeoutOther() throws {
    let source = try marbles.hot("-a--b----c|")
    let other = try marbles.cold("x-y|")
    try marbles.expect("-a--b--x-y|", from: source.timeout(.seconds(3), other: other, scheduler: scheduler))
    try marbles.expect(subscriptions: "^------!", of: source)
    try marbles.expect(subscriptions: "-------^--!", of: other)
  }

  @Test("sample sends the new element at each sample")
  func sample() throws {
    let source = try marbles.hot(" -a-bc-----d-|")
    let sampler = try marbles.hot("---x--x--x--x|")
    try marbles.expect("---b--c-----(d|)", from: source.sample(sampler))
    try marbles.expect(subscriptions: "^-----------!", of: source)
  }

  @Test("buffer sends arrays that are full or whose time is up, and the rest at completion")
  func buffer() throws {
    let source = try marbles.hot("-abc-------d|")
    let buffers = source.buffer(timeSpan: .seconds(4), count: 2, scheduler: scheduler)
    try marbles.expect(
      "--f---c---e-(d|)", values: ["f": ["a", "b"], "c": ["c"], "e": [], "d": ["d"]], from: buffers)
  }

  @Test("window begins a new window when one is full or its time is up")
  func window() throws {
    let source = try marbles.hot("-ab----c-d-|")
    let windows = source.window(timeSpan: .seconds(4), count: 2, scheduler: scheduler)
    try marbles.expect(
      "--f---e--s-(e|)", values: ["f": ["a", "b"], "e": [], "s": ["c", "d"]],
      from: windows.flatMap { $0.toArray() })
    try marbles.expect(subscriptions: "^----------!", of: source)
  }

  @Test("take(for:) completes when the time is up")
  func takeFor() throws {
    let source = try marbles.hot("-a-b-c--|")
    try marbles.expect("-a-b|", from: source.take(for: .seconds(4), scheduler: scheduler))
    try marbles.expect(subscriptions: "^---!", of: source)
  }

  @Test("skip with a time drops elements before the time is up, but no error")
  func skipFor() throws {
    let source = try marbles.hot("-a-b-c--|")
    try marbles.expect("-----c--|", from: source.skip(.seconds(4), scheduler: scheduler))
    let other = Marbles()
    try other.expect("-#", from: other.hot("-#").skip(.seconds(4), scheduler: other.scheduler))
  }

  @Test(
    "delaySubscription subscribes later: it shifts a cold sequence and misses the start of a hot one")
  func delaySubscription() throws {
    let cold = try marbles.cold("-a-b|")
    let hot = try marbles.hot("-x-----y-|")
    let delayed = Observable.merge(
      cold.delaySubscription(.seconds(3), scheduler: scheduler),
      hot.delaySubscription(.seconds(3), scheduler: scheduler))
    try marbles.expect("----a-by-|", from: delayed)
    try marbles.expect(subscriptions: "---^---!", of: cold)
    try marbles.expect(subscriptions: "---^-----!", of: hot)
  }

  @Test("timer sends once, or continues with a period")
  func timer() throws {
    let once = Observable<Int>.timer(.seconds(3), scheduler: scheduler)
    try marbles.expect("---(0|)", from: once)
    let other = Marbles()
    let periodic = Observable<Int>.timer(.seconds(2), period: .seconds(3), scheduler: other.scheduler)
    try other.expect("--0--1--2", during: "^---------!", from: periodic)
  }

  @Test("interval counts until it is disposed")
  func interval() throws {
    let clock = Observable<Int>.interval(.seconds(2), scheduler: scheduler)
    try marbles.expect("--0-1-2", during: "^-------!", from: clock)
  }

  @Test("merge sends elements as they arrive, and completes when all have completed")
  func merge() throws {
    let first = try marbles.hot(" -a--b---|")
    let second = try marbles.hot("--x-y-|")
    try marbles.expect("-ax-(by)|", from: Observable.merge(first.asObservable(), second.asObservable()))
    try marbles.expect(subscriptions: "^-------!", of: first)
    try marbles.expect(subscriptions: "^-----!", of: second)
  }

  @Test("merge ends all with the first error")
  func mergeError() throws {
    let first = try marbles.hot(" -a--b---|")
    let second = try marbles.hot("--x#")
    try marbles.expect("-ax#", from: Observable.merge(first.asObservable(), second.asObservable()))
    try marbles.expect(subscriptions: "^--!", of: first)
  }

  @Test("flatMapLatest disposes the old inner sequence when a new one arrives")
  func flatMapLatest() throws {
    let outer = try marbles.hot(" -a---b-----|")
    let inner = try ["a": marbles.cold("--x-y-z|"), "b": marbles.cold("-u-v|")]
    try marbles.expect("---x--u-v--|", from: outer.flatMapLatest { inner[$0]?.asObservable() ?? .empty() })
    try marbles.expect(subscriptions: "-^---!", of: #require(inner["a"]))
    try marbles.expect(subscriptions: "-----^---!", of: #require(inner["b"]))
  }

  @Test("flatMapLatest outlives its source while an inner sequence runs")
  func flatMapLatestEnd() throws {
    let outer = try marbles.hot("-a-|")
    let inner = try marbles.cold("--x-y-z|")
    try marbles.expect("---x-y-z|", from: outer.flatMapLatest { _ in inner })
    try marbles.expect(subscriptions: "^--!", of: outer)
  }
}
