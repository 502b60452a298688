import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite
import Testing

@Suite("What decides about a request travels with its subscription", .timeLimit(.minutes(5)))
struct SubscriptionScopeTests {
  private struct Target: TargetType, AccessTokenAuthorizable {
    var baseURL: URL
    var path: String
    var method = HTTPMethod.get
    var authorizationType: AuthorizationType? { .bearer }
  }

  private let server: LoopbackServer
  private let other: LoopbackServer
  private let provider = NetworkProvider<Target>(plugins: [AccessTokenPlugin { _ in "secret" }])
  private let waits = Backoff.constant(.milliseconds(1))

  init() throws {
    server = try LoopbackServer { $0.path == "/503" ? .status(503) : .text("ok") }
    other = try LoopbackServer { _ in .text("other") }
  }

  private func request(_ path: String, _ method: HTTPMethod = .get) throws -> Single<Response> {
    let url = try #require(URL(string: server.origin))
    return provider.rx.request(Target(baseURL: url, path: path, method: method))
      .filterSuccessfulStatusCodes()
  }

  private func otherRequest(_ path: String) throws -> Single<Response> {
    let url = try #require(URL(string: other.origin))
    return provider.rx.request(Target(baseURL: url, path: path)).filterSuccessfulStatusCodes()
  }

  private func failure<Element>(of sequence: Observable<Element>) -> (any Error)? {
    guard case .failed(_, let error) = sequence.toBlocking(timeout: 60).materialize() else { return nil }
    return error
  }

  private func count(_ path: String) -> Int { server.log.requests.count { $0.path == path } }

  private var refusal: PaginationError { .otherOrigin(other.origin, first: server.origin) }

  @Test("a page that has to wait for a place is not requested from another origin")
  func pageInQueue() throws {
    let limit = ConcurrencyLimit(1)
    let first = try request("/1").limitConcurrency(limit)
    let second = try otherRequest("/2").limitConcurrency(limit)
    server.route("/slow") { _ in .text("slow").delayed(by: .milliseconds(200)) }
    let slow = try request("/slow").limitConcurrency(limit)
    let blocker = Lock<(any Disposable)?>(nil)
    let pages = first.paginate { response in
      guard response.url?.path == "/1" else { return nil }
      blocker.withLock { $0 = slow.subscribe() }
      return second
    }
    #expect(failure(of: pages) as? PaginationError == refusal)
    #expect(other.log.connectionsAccepted == 0)
    blocker.withLock { $0 }?.dispose()
  }

  @Test("a request that waited while another subscription loads its second page is sent")
  func strangerInQueue() throws {
    let limit = ConcurrencyLimit(1)
    let (isLoading, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    server.route("/2") { _ in
      isLoading.signal()
      return .text("2").delayed(by: .milliseconds(200))
    }
    let (first, second) = (try request("/1"), try request("/2").limitConcurrency(limit))
    let stranger = try otherRequest("/stranger").limitConcurrency(limit)
    let pages = first.paginate { $0.url?.path == "/1" ? second : nil }
      .subscribe(onDisposed: { ended.signal() })
    isLoading.wait()
    #expect(failure(of: stranger.asObservable()) == nil)
    #expect(other.log.requests.map(\.path) == ["/stranger"])
    ended.wait()
    pages.dispose()
  }

  @Test("the refresh for a refused page may ask another origin")
  func refreshForPage() throws {
    let token = try otherRequest("/token")
    let refresher = TokenRefresher { token.map { _ in } }
    let attempts = Lock(0)
    server.route("/2") { _ in
      attempts.withLock {
        $0 += 1; return $0
      } == 1 ? .status(401) : .text("2")
    }
    let (first, second) = (try request("/1"), try request("/2").refreshingToken(with: refresher))
    let pages = first.paginate { $0.url?.path == "/1" ? second : nil }
    #expect(failure(of: pages) == nil)
    #expect(other.log.requests.map(\.path) == ["/token"])
    #expect(count("/2") == 2)
  }

  @Test("a closure of a page may subscribe to a request of another origin", arguments: [false, true])
  func closureOfPage(inTask: Bool) async throws {
    let report = try otherRequest("/analytics")
    let (ended, end) = AsyncStream<Void>.makeStream()
    let errors = Lock([any Error]())
    let send = { @Sendable in
      _ = report.subscribe(
        onFailure: { error in errors.withLock { $0.append(error) } }, onDisposed: { end.finish() })
    }
    let first = try request("/1")
    let second = try request("/2").do(onSuccess: { _ in if inTask { Task { send() } } else { send() } })
    #expect(failure(of: first.paginate { $0.url?.path == "/1" ? second : nil }) == nil)
    // The task needs this thread, if the others wait too.
    for await _ in ended {}
    #expect(errors.withLock { $0.isEmpty })
    #expect(other.log.requests.map(\.path) == ["/analytics"])
  }

  @Test("a POST that had to wait for a place is sent once, even if it is hedged", arguments: [false, true])
  func hedgedInQueue(hedgesUnknownRequests: Bool) throws {
    let limit = ConcurrencyLimit(2)
    for path in ["/slow", "/post"] {
      server.route(path) { _ in .text("late").delayed(by: .milliseconds(300)) }
    }
    let blocker = try request("/slow").limitConcurrency(limit).asObservable()
    let post = try request("/post", .post).limitConcurrency(limit)
      .hedged(
        after: .milliseconds(50), budget: RetryBudget(ratio: 1), hedgesUnknownRequests: hedgesUnknownRequests)
    #expect(failure(of: Observable.zip(blocker, blocker, post.asObservable())) == nil)
    #expect(count("/post") == 1)
  }

  @Test("a POST after a hedged GET is sent by the first copy only")
  func hedgedChain() throws {
    for path in ["/slow", "/post"] {
      server.route(path) { _ in .text("late").delayed(by: .milliseconds(300)) }
    }
    let post = try request("/post", .post)
    let chain = try request("/slow").flatMap { _ in post }
      .hedged(after: .milliseconds(20), budget: RetryBudget(ratio: 1))
    #expect(failure(of: chain.asObservable()) == nil)
    #expect(count("/post") == 1)
  }

  @Test("a POST of another subscription that waits in the same limit is not charged to a retry")
  func strangerInLimit() throws {
    let limit = ConcurrencyLimit(1)
    let attempts = Lock(0)
    server.route("/flaky") { _ in
      let isFirst = attempts.withLock { attempts in
        attempts += 1
        return attempts == 1
      }
      return .status(isFirst ? 503 : 200).delayed(by: .milliseconds(100))
    }
    let get = try request("/flaky").limitConcurrency(limit).retry(backoff: waits).asObservable()
    let post = try request("/post", .post).limitConcurrency(limit).asObservable()
    #expect(failure(of: Observable.zip(get, post)) == nil)
    #expect(count("/flaky") == 2)
    #expect(count("/post") == 1)
  }

  @Test("the POST of a refresh does not prevent a retry")
  func refreshThenRetry() throws {
    let token = try request("/token", .post)
    let refresher = TokenRefresher { token.map { _ in } }
    let statuses = Lock([401, 503, 200])
    server.route("/page") { _ in
      .status(statuses.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? 200 })
    }
    let page = try request("/page").refreshingToken(with: refresher).retry(backoff: waits)
    #expect(failure(of: page.asObservable()) == nil)
    #expect(count("/page") == 3)
    #expect(count("/token") == 1)
  }

  @Test("two subscribers of a cached single are charged with their own POSTs")
  func cached() throws {
    let (post, get) = (try request("/post", .post), try request("/503"))
    let settings = try request("/settings").cached(for: .seconds(60))
    let pipeline = settings.flatMap { _ in post }.flatMap { _ in get }
      .retry(backoff: waits, maxAttempts: 3).asObservable().materialize()
    #expect(failure(of: Observable.zip(pipeline, pipeline)) == nil)
    #expect(count("/settings") == 1)
    #expect(count("/post") == 2)
  }

  @Test("a POST between two changes of threads is not repeated")
  func hops() throws {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
    let (post, get) = (try request("/post", .post), try request("/503"))
    let chain = Observable.just(1).observe(on: scheduler).flatMap { _ in post }.observe(on: scheduler)
      .flatMap { _ in get }.observe(on: scheduler).retry(backoff: waits, maxAttempts: 3)
    #expect(failure(of: chain) != nil)
    #expect(count("/post") == 1)
  }

  @Test("a POST that a closure subscribes to with a mapped observer is not repeated")
  func mappedObserver() throws {
    let (post, get) = (try request("/post", .post), try request("/503"))
    let status = Observable<Int>.create { observer in
      post.asObservable().subscribe(observer.mapObserver { (response: Response) in response.statusCode })
    }
    let chain = status.flatMap { _ in get }.retry(backoff: waits, maxAttempts: 3)
    #expect(failure(of: chain) != nil)
    #expect(count("/post") == 1)
  }

  @Test("a POST that a closure subscribes to itself is not repeated unless the caller says so")
  func unknown() throws {
    let lost = try LoopbackServer { _ in .text("").delayed(by: .seconds(60)) }
    let url = try #require(URL(string: lost.origin))
    let provider = provider
    let hidden = Single<Response>.create { single in
      provider.rx.request(Target(baseURL: url, path: "/", method: .post)).requestTimeout(.milliseconds(50))
        .subscribe(single)
    }
    #expect(failure(of: hidden.retry(backoff: waits, maxAttempts: 2).asObservable()) != nil)
    #expect(lost.log.requestCount == 1)
    let allowed = hidden.retry(backoff: waits, maxAttempts: 2, when: { _ in true })
    #expect(failure(of: allowed.asObservable()) != nil)
    #expect(lost.log.requestCount == 3)
  }
}
