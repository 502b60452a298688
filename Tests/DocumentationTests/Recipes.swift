import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

/// The examples in the article, about one service.
private struct Examples {
  let provider: NetworkProvider<Catalogue>

  struct Item: Decodable, Equatable, Sendable {
    let id: Int
  }

  struct Job: Decodable, Sendable {
    let isDone: Bool
  }

  enum Catalogue: TargetType {
    case items
    case page(URL)
    case item(Int)
    case job(Int)

    var baseURL: URL { URL(string: "https://catalogue.example")! }

    var path: String {
      switch self {
      case .items, .page: "/items"
      case .item(let id): "/items/\(id)"
      case .job(let id): "/jobs/\(id)"
      }
    }

    // The server's link to the next page is a complete URL.
    var url: URL {
      if case .page(let url) = self { url } else { baseURL.appending(path: path) }
    }
  }

  func allItems() -> Observable<Item> {
    provider.rx.paginate(.items) { response in response.links["next"].map { .page($0) } }
      .filterSuccessfulStatusCodes()
      .map([Item].self)
      .concatMap { Observable.from($0) }
  }

  func somePages(from cursor: PageCursor<Catalogue>) -> Observable<Response> {
    provider.rx.paginate(.items, from: cursor) { response in response.links["next"].map { .page($0) } }
      .filterSuccessfulStatusCodes()
      .retry(backoff: .exponential(), maxAttempts: 3)
  }

  func finishedJob(_ id: Int, scheduler: any SchedulerType) -> Single<Job> {
    provider.rx.value(.job(id), as: Job.self)
      .retry(backoff: .exponential(), maxAttempts: 3, scheduler: scheduler)
      .poll(every: .seconds(2), until: { $0.isDone }, scheduler: scheduler)
      .takeLast(1)
      .asSingle()
  }

  final class Shelf {
    let items: Single<[Item]>

    init(provider: NetworkProvider<Catalogue>, account: CacheScope, scheduler: any SchedulerType) {
      items = provider.rx.value(.items, as: [Item].self)
        .cached(for: .seconds(60), in: account, scheduler: scheduler)
    }
  }

  func items(_ ids: [Int], scheduler: any SchedulerType) -> Observable<Item> {
    Observable.from(ids)
      .throttleRequests(max: 10, per: .seconds(1), scheduler: scheduler)
      .flatMap(maxConcurrent: 4) { id in provider.rx.value(.item(id), as: Item.self) }
  }

  func pair(_ first: Int, _ second: Int) -> Single<[Item]> {
    Single.zip(
      provider.rx.value(.item(first), as: Item.self), provider.rx.value(.item(second), as: Item.self)
    ) { [$0, $1] }
  }

  enum State: Equatable {
    case loading
    case loaded(Item)
    case failed(String)
  }

  func states(of ids: Observable<Int>) -> Observable<State> {
    ids.flatMapLatest { id in
      provider.rx.value(.item(id), as: Item.self).asObservable()
        .map { .loaded($0) }
        .catch { error in .just(.failed(error.localizedDescription)) }
        .startWith(.loading)
    }
  }
}

@Suite("Examples in Recipes", .timeLimit(.minutes(5)))
struct RecipesTests {
  private typealias Item = Examples.Item
  private let stubs = StubTable<Examples.Catalogue>()

  /// Stubs a path with responses that are sent in order, each half a second after its request.
  private func answer(_ path: String, _ bodies: String...) {
    let answers = bodies.map { EndpointSampleResponse.networkResponse(200, Data($0.utf8)) }
    stubs.add(path: path, answers, behavior: .delayed(seconds: 0.5))
  }

  private func examples(_ scheduler: TestScheduler) -> Examples {
    Examples(provider: NetworkProvider(stubs: stubs, scheduler: scheduler.asDelayScheduler()))
  }

  @Test("pages are requested one after another, and no more than needed")
  func pages() async throws {
    let server = try LoopbackServer { request in
      let page = Int(request.query("page") ?? "") ?? 1
      let answer = LoopbackServer.Reply.json(#"[{"id": \#(page * 2)}, {"id": \#(page * 2 + 1)}]"#)
      let next = "<https://catalogue.example/items?page=\(page + 1)>; rel=\"next\""
      return page == 3 ? answer : answer.header("Link", next)
    }
    let examples = Examples(provider: NetworkProvider(at: server))
    #expect(try await examples.allItems().toArray().value.map(\.id) == [2, 3, 4, 5, 6, 7])
    #expect(server.log.requestCount == 3)
    #expect(try await examples.allItems().take(2).toArray().value.map(\.id) == [2, 3])
    #expect(server.log.requestCount == 4)
  }

  @Test("a job is polled until it is done")
  func polling() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
    answer("/jobs/1", #"{"isDone": false}"#, #"{"isDone": false}"#, #"{"isDone": true}"#)
    let job = examples(scheduler).finishedJob(1, scheduler: scheduler).map(\.isDone).asObservable()
    let result = scheduler.start(created: 0, subscribed: 100, disposed: 1000) { job }
    // Three responses of half a second each, and two waits of two seconds.
    #expect(result.events == [.next(155, true), .completed(155)])
  }

  @Test("a response is cached for a minute")
  func kept() {
    let scheduler = TestScheduler(initialClock: 0)
    stubs.add(
      path: "/items",
      [.networkResponse(200, Data(#"[{"id": 1}]"#.utf8)), .networkResponse(200, Data(#"[{"id": 2}]"#.utf8))])
    let shelf = Examples.Shelf(
      provider: examples(scheduler).provider, account: CacheScope(), scheduler: scheduler)
    let seen = [10, 60, 80].map { time in
      let observer = scheduler.createObserver([Item].self)
      scheduler.scheduleAt(time) { _ = shelf.items.asObservable().subscribe(observer) }
      return observer
    }
    scheduler.start()
    #expect(seen.map { $0.events.first?.value.element?.first?.id } == [1, 1, 2])
  }

  @Test("ten requests begin in any second, and four run at a time")
  func rate() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
    for id in 1...12 { answer("/items/\(id)", #"{"id": \#(id)}"#) }
    let items = examples(scheduler).items(Array(1...12), scheduler: scheduler).map(\.id)
    let result = scheduler.start(created: 0, subscribed: 100, disposed: 1000) { items }
    #expect(result.events.compactMap(\.value.element) == Array(1...12))
    // Four in each half second.
    #expect(result.events.map(\.time).max().map { (115...118).contains($0) } == true)
  }

  @Test("two requests run at once, and a screen shows the result")
  func screen() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
    for id in 1...2 { answer("/items/\(id)", #"{"id": \#(id)}"#) }
    stubs.add(path: "/items/3", [.networkResponse(404, Data())])
    let pair = scheduler.record(examples(scheduler).pair(1, 2).asObservable())
    scheduler.start()
    #expect(pair.events.compactMap(\.value.element) == [[Item(id: 1), Item(id: 2)]])

    let clock = TestScheduler(initialClock: 0, resolution: 0.1)
    let ids = clock.createHotObservable([.next(200, 1), .next(203, 2), .next(300, 3)])
    let states = clock.record(examples(clock).states(of: ids.asObservable()))
    clock.start()
    let seen = states.events.compactMap(\.value.element)
    #expect(Array(seen.prefix(4)) == [.loading, .loading, .loaded(Item(id: 2)), .loading])
    if case .failed = seen.last {} else { Issue.record("\(seen)") }
    #expect(seen.count == 5)
  }
}
