import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("Examples in Virtual time")
struct VirtualTimeTests {
  @Test("a debounce is tested with recorded events")
  func debounce() {
    let scheduler = TestScheduler(initialClock: 0)
    let keys = scheduler.createHotObservable([
      .next(210, "s"), .next(220, "sw"), .next(300, "swift"), .completed(400),
    ])
    let settled = scheduler.start { keys.debounce(.seconds(30), scheduler: scheduler) }
    #expect(settled.events == [.next(250, "sw"), .next(330, "swift"), .completed(400)])
    #expect(keys.subscriptions == [Subscription(200, 400)])
  }

  @Test("a debounce is tested with marbles")
  func marbles() throws {
    let marbles = Marbles()
    let typed = try marbles.hot("-a-bc---d|")
    let latest = typed.debounce(.seconds(2), scheduler: marbles.scheduler)
    try marbles.expect("------c--(d|)", from: latest)
    try marbles.expect(subscriptions: "^--------!", of: typed)
  }

  @Test("a test advances time by hand")
  func byHand() {
    let clock = TestScheduler(initialClock: 0)
    let ticks = clock.createObserver(Int.self)
    let subscription = Observable<Int>.interval(.seconds(10), scheduler: clock).subscribe(ticks)
    clock.advanceTo(25)
    subscription.dispose()
    #expect(ticks.events == [.next(10, 0), .next(20, 1)])
  }

  struct Search: TargetType {
    let text: String
    var baseURL: URL { URL(string: "https://search.example")! }
    var path: String { "/search/\(text)" }
    var sampleData: Data { Data("found \(text)".utf8) }
  }

  @Test("a search with slow responses runs in virtual time")
  func search() {
    let scheduler = TestScheduler(initialClock: 0)
    let provider = NetworkProvider<Search>(
      stubClosure: NetworkProvider.delayedStub(20), scheduler: scheduler.asDelayScheduler())
    let keys = scheduler.createHotObservable([
      .next(210, "s"), .next(215, "sw"), .next(300, "swi"), .next(315, "swift"),
    ])
    let found = scheduler.start {
      keys.debounce(.seconds(10), scheduler: scheduler)
        .flatMapLatest { provider.rx.request(Search(text: $0)).mapString() }
    }
    #expect(found.events == [.next(245, "found sw"), .next(345, "found swift")])
  }

  @Test("a service that fails at first is stubbed in virtual time")
  func flaky() {
    let scheduler = TestScheduler(initialClock: 0)
    let stubs = StubTable<Search>()
    stubs.add(
      path: "/search/swift",
      [.networkResponse(503, Data()), .networkResponse(200, Data("at last".utf8))])
    let flaky = NetworkProvider<Search>(stubs: stubs, scheduler: scheduler.asDelayScheduler())
    let answer = scheduler.start {
      flaky.rx.request(Search(text: "swift"))
        .filterSuccessfulStatusCodes()
        .retry(backoff: .constant(.seconds(40)), scheduler: scheduler)
        .mapString()
        .asObservable()
    }
    #expect(answer.events == [.next(240, "at last"), .completed(240)])
  }
}
