import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

/// A search for a text.
private struct SearchTarget: TargetType {
  let text: String
  var baseURL: URL { URL(fileURLWithPath: "/") }
  var url: URL { URL(string: "http://h/search?q=\(text)") ?? baseURL }
  var path: String { "" }
  var sampleData: Data { Data("found \(text)".utf8) }
}

@Suite("Requests in virtual time")
struct VirtualTimeTests {
  private let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)

  private func provider(
    _ stubs: StubTable<SearchTarget>? = nil, interceptors: [any RequestInterceptor] = []
  ) -> NetworkProvider<SearchTarget> {
    NetworkProvider(
      stubClosure: NetworkProvider.delayedStub(2), interceptors: interceptors, stubs: stubs,
      scheduler: scheduler.asDelayScheduler())
  }

  @Test("a delayed stub responds at its time, and not after a dispose")
  func delayedStub() {
    let provider = provider()
    let answer = scheduler.start(created: 0, subscribed: 100, disposed: 200) {
      provider.rx.request(SearchTarget(text: "a")).mapString().asObservable()
    }
    #expect(answer.events == [.next(120, "found a"), .completed(120)])
    let late = scheduler.createObserver(String.self)
    let subscription = provider.rx.request(SearchTarget(text: "b")).mapString().asObservable().subscribe(late)
    scheduler.scheduleAt(210) { subscription.dispose() }
    scheduler.start()
    #expect(late.events.isEmpty)
  }

  @Test("a debounced search with slow responses and retries runs at exact times")
  func search() {
    let stubs = StubTable<SearchTarget>()
    stubs.add(
      where: { $0.text == "swi" },
      [.networkResponse(503, Data()), .networkResponse(200, Data("third".utf8))],
      behavior: .delayed(seconds: 1))
    let retry = RetryPolicy(retryLimit: 2, exponentialBackoffBase: 2, exponentialBackoffScale: 4, jitter: 0)
    let provider = provider(stubs, interceptors: [retry])
    // In tenths of seconds: three keys, a debounce of half a second, another key while the first response is
    // due.
    let keys = scheduler.createHotObservable([
      .next(210, "s"), .next(212, "sw"), .next(230, "swi"), .next(400, "swif"), .next(403, "swift"),
      .completed(900),
    ])
    let found = scheduler.start(created: 0, subscribed: 200, disposed: 1000) {
      keys.debounce(.milliseconds(500), scheduler: scheduler)
        .flatMapLatest {
          provider.rx.request(SearchTarget(text: $0)).filterSuccessfulStatusCodes().mapString()
        }
    }
    // "sw" at 217 would get its response at 237, but "swi" replaces it at 235: 503 at 245, retry after 4 s at
    // 285, 200 at 295.
    // "swift" at 408 gets its response after 2 s.
    let expected: [Recorded<Event<String>>] = [
      .next(295, "third"), .next(428, "found swift"), .completed(900),
    ]
    #expect(found.events == expected)
    #expect(keys.subscriptions == [Subscription(200, 900)])
  }

  @Test("a delay of zero or less ends at once, and the longest delay never")
  func extremes() {
    let delays = scheduler.asDelayScheduler()
    #expect(delays.now == scheduler.now)
    let notes = Log()
    let named: [(String, Duration)] = [
      ("past", .seconds(-1)), ("now", .zero), ("soon", .milliseconds(300)), ("never", .seconds(Int64.max)),
    ]
    for (name, delay) in named {
      _ = delays.schedule(after: delay) { notes.add(name) }
    }
    let cancelled = delays.schedule(after: .milliseconds(200)) { notes.add("cancelled") }
    cancelled.cancel()
    #expect(cancelled.isCancelled)
    scheduler.advanceTo(2)
    #expect(notes.all == ["past", "now"])
    scheduler.advanceTo(1_000_000)
    #expect(notes.all == ["past", "now", "soon"])
  }
}
