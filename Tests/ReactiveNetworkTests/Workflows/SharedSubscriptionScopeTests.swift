import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What decides about a request also decides behind a shared sequence", .timeLimit(.minutes(5)))
struct SharedSubscriptionScopeTests {
  private struct Target: TargetType, AccessTokenAuthorizable {
    var baseURL: URL
    var path: String
    var method = HTTPMethod.get
    var authorizationType: AuthorizationType? { .bearer }
  }

  enum Sharing: CaseIterable {
    case share, replay, replayForever, cached, publish, selector

    func callAsFunction(_ single: Single<Response>) -> Single<Response> {
      let source = single.asObservable()
      return switch self {
      case .share: source.share().asSingle()
      case .replay: source.share(replay: 1).asSingle()
      case .replayForever: source.share(replay: 1, scope: .forever).asSingle()
      case .cached: single.cached(for: .seconds(60))
      case .publish: source.publish().refCount().asSingle()
      case .selector: source.multicast({ PublishSubject() }, selector: { $0 }).asSingle()
      }
    }
  }

  private let server: LoopbackServer
  private let other: LoopbackServer
  private let provider = NetworkProvider<Target>(plugins: [AccessTokenPlugin { _ in "secret" }])
  private let waits = Backoff.constant(.milliseconds(1))

  init() throws {
    let failures = Lock(0)
    server = try LoopbackServer { request in
      guard request.path == "/flaky" else { return .text("ok") }
      let count = failures.withLock { count in
        count += 1
        return count
      }
      return count == 1 ? .status(503) : .text("ok")
    }
    other = try LoopbackServer { _ in .text("other") }
  }

  private func request(
    _ path: String, _ method: HTTPMethod = .get, of server: LoopbackServer? = nil
  ) throws -> Single<Response> {
    let url = try #require(URL(string: (server ?? self.server).origin))
    return provider.rx.request(Target(baseURL: url, path: path, method: method))
      .filterSuccessfulStatusCodes()
  }

  private func failure<Element>(of sequence: Observable<Element>) -> (any Error)? {
    guard case .failed(_, let error) = sequence.toBlocking(timeout: 60).materialize() else { return nil }
    return error
  }

  private func count(_ path: String) -> Int { server.log.requests.count { $0.path == path } }

  @Test("a shared page of another origin is not requested", arguments: Sharing.allCases)
  func page(_ shared: Sharing) throws {
    let (first, second) = (try request("/1"), shared(try request("/2", of: other)))
    let pages = first.paginate { $0.url?.path == "/1" ? second : nil }
    #expect(failure(of: pages) as? PaginationError == .otherOrigin(other.origin, first: server.origin))
    #expect(other.log.connectionsAccepted == 0)
  }

  @Test("a shared first page determines the origin", arguments: Sharing.allCases)
  func firstPage(_ shared: Sharing) throws {
    let first = shared(try request("/1"))
    let (second, stranger) = (try request("/2"), try request("/2", of: other))
    // The second subscription finds the response of the first one, if that is kept.
    for _ in 0..<2 {
      #expect(failure(of: first.paginate { $0.url?.path == "/1" ? second : nil }) == nil)
      let pages = first.paginate { $0.url?.path == "/1" ? stranger : nil }
      #expect(failure(of: pages) as? PaginationError == .otherOrigin(other.origin, first: server.origin))
    }
    #expect(other.log.connectionsAccepted == 0)
  }

  @Test("a page after one of unknown origin is not requested")
  func unknownFirstPage() throws {
    let second = try request("/2").map { $0.url?.path ?? "" }
    let first = Single.just("/1")
    let error = failure(of: first.paginate { $0 == "/1" ? second : nil })
    #expect(error as? PaginationError == .unknownFirstOrigin(server.origin))
    #expect((error as? PaginationError)?.errorDescription?.contains(server.origin) == true)
    #expect(count("/2") == 0)
    #expect(failure(of: first.paginate(allowsOtherOrigins: true) { $0 == "/1" ? second : nil }) == nil)
    #expect(count("/2") == 1)
  }

  @Test("a later page does not take the place of a first page of unknown origin")
  func knownSecondPage() throws {
    let url = try #require(URL(string: other.origin + "/2"))
    let first = Single.just(Response(statusCode: 200, data: Data()))
    let second = Single.just(Response(statusCode: 201, data: Data(), request: URLRequest(url: url)))
    let third = try request("/3", of: other)
    let pages = first.paginate { $0.statusCode == 201 ? third : second }.take(3)
    #expect(failure(of: pages) as? PaginationError == .unknownFirstOrigin(other.origin))
    #expect(other.log.connectionsAccepted == 0)
  }

  @Test("the page that the caller begins with determines the origin")
  func cursor() throws {
    let (second, third, stranger) = (
      try request("/2"), try request("/3"), try request("/3", of: other)
    )
    for (last, expected) in [
      (third, nil), (stranger, PaginationError.otherOrigin(other.origin, first: server.origin)),
    ] {
      let cursor = PageCursor(second)
      let pages = try request("/1").paginate(from: cursor) { $0.url?.path == "/2" ? last : nil }
      #expect(failure(of: pages) as? PaginationError == expected)
    }
    #expect(count("/1") == 0)
    #expect(other.log.connectionsAccepted == 0)
  }

  @Test("a POST behind a shared sequence that fails is not repeated", arguments: Sharing.allCases)
  func failedPost(_ shared: Sharing) throws {
    let (post, get) = (try request("/post", .post), try request("/flaky"))
    let chain = shared(post.flatMap { _ in get }).retry(backoff: waits)
    #expect(failure(of: chain.asObservable()) != nil)
    #expect(count("/post") == 1)
  }

  @Test("a POST of one shared sequence behind another one is not repeated")
  func nestedPost() throws {
    let (post, get) = (try request("/post", .post), try request("/flaky"))
    let inner = post.flatMap { _ in get }.asObservable().share()
    let chain = inner.publish().refCount().retry(backoff: waits)
    #expect(failure(of: chain) != nil)
    #expect(count("/post") == 1)
  }

  @Test("no subscriber of a shared sequence repeats its POST")
  func subscribers() throws {
    server.route("/post") { _ in .text("post").delayed(by: .milliseconds(200)) }
    let (post, get) = (try request("/post", .post), try request("/flaky"))
    let shared = post.flatMap { _ in get }.asObservable().share()
    // The first subscriber has no record, so it starts the source without one.
    let first = shared.subscribe()
    let pipeline = shared.retry(backoff: waits).materialize()
    #expect(failure(of: Observable.zip(pipeline, pipeline)) == nil)
    first.dispose()
    #expect(count("/post") == 1)
  }

  @Test(
    "a GET behind a shared sequence is repeated", arguments: Sharing.allCases.filter { $0 != .replayForever })
  func failedGet(_ shared: Sharing) throws {
    let chain = shared(try request("/flaky")).retry(backoff: waits)
    #expect(failure(of: chain.asObservable()) == nil)
    #expect(count("/flaky") == 2)
  }

  @Test("a POST whose response is kept does not prevent a retry of what follows")
  func keptPost() throws {
    let (login, get) = (try request("/post", .post).cached(for: .seconds(60)), try request("/flaky"))
    #expect(failure(of: login.flatMap { _ in get }.retry(backoff: waits).asObservable()) == nil)
    #expect(count("/post") == 1)
    #expect(count("/flaky") == 2)
  }

  @Test(
    "a POST of a shared sequence is not repeated if what follows fails",
    arguments: Sharing.allCases + [nil])
  func followedPost(_ shared: Sharing?) throws {
    let (post, get) = (try request("/post", .post), try request("/flaky"))
    // Without a sharing: a cache whose element expires before the retry.
    let login = shared?(post) ?? post.cached(for: .nanoseconds(1))
    let keepsResponse = shared == .cached || shared == .replayForever
    let error = failure(of: login.flatMap { _ in get }.retry(backoff: waits).asObservable())
    #expect(count("/post") == 1)
    #expect(count("/flaky") == (keepsResponse ? 2 : 1))
    #expect((error as? NetworkError)?.response?.statusCode == (keepsResponse ? nil : 503))
  }

  @Test("a POST of a shared sequence that each attempt makes anew is not repeated")
  func newSharing() throws {
    let (post, get) = (try request("/post", .post), try request("/flaky"))
    let chain = Single.deferred { post.asObservable().share().asSingle() }.flatMap { _ in get }
    #expect(failure(of: chain.retry(backoff: waits).asObservable()) != nil)
    #expect(count("/post") == 1)
  }

  @Test(
    "an attempt that has ended sends nothing more, even if its source does not notice",
    arguments: Sharing.allCases.filter { $0 != .replayForever } + [nil])
  func lateRequest(_ shared: Sharing?) throws {
    let (post, get) = (try request("/post", .post), try request("/503"))
    server.route("/503") { _ in .status(503) }
    let source = get.catch { error in
      Observable.create { observer in
        observer.onError(error)
        // As if it had begun on another thread just before the error.
        _ = post.asObservable().subscribe(observer)
        return Disposables.create()
      }.asSingle()
    }
    let chain = (shared?(source) ?? source).retry(backoff: waits)
    #expect(failure(of: chain.asObservable()) != nil)
    #expect(count("/503") == 3)
    // Whatever was sent has arrived before the answer to a later request.
    #expect(failure(of: try request("/end").asObservable()) == nil)
    #expect(count("/post") == 0)
  }

  @Test("an attempt that fails on another thread before its subscription returns sends nothing more")
  func lateRequestBesideSubscription() throws {
    let post = try request("/post", .post)
    let source = Observable<Response>.create { observer in
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        observer.onError(TransferError.connectionLost(reason: "test"))
        _ = post.asObservable().subscribe(observer)
        done.signal()
      }
      // From the second attempt on, the thread that subscribes also decides about the error, afterwards.
      done.wait()
      return Disposables.create()
    }
    let attempts = Lock(0)
    let chain = source.do(onSubscribe: { attempts.withLock { $0 += 1 } })
      .retry(backoff: waits, when: { _ in true })
    #expect(failure(of: chain) != nil)
    #expect(attempts.withLock { $0 } == 3)
    #expect(failure(of: try request("/end").asObservable()) == nil)
    #expect(count("/post") == 0)
  }

  @Test("a POST of a sequence that the caller has connected is not repeated")
  func connectedByCaller() throws {
    let (post, get) = (try request("/post", .post), try request("/flaky"))
    // The response waits for the observer, which would otherwise make a connection of its own.
    let gate = LoopbackServer.Gate()
    server.route("/post") { _ in .text("ok").held(until: gate) }
    let login = post.asObservable().replay(1)
    let connection = login.connect()
    let chain = login.refCount().do(onSubscribed: { gate.open() }).asSingle().flatMap { _ in get }
      .retry(backoff: waits)
    #expect(failure(of: chain.asObservable()) != nil)
    #expect(count("/post") == 1)
    connection.dispose()
  }

  @Test("a POST whose response is replayed allows more than one retry")
  func replayedPost() throws {
    let failures = Lock(0)
    server.route("/twice") { _ in
      let count = failures.withLock { count in
        count += 1
        return count
      }
      return count <= 2 ? .status(503) : .text("ok")
    }
    let login = try request("/post", .post).asObservable().share(replay: 1, scope: .forever)
    let get = try request("/twice")
    let chain = login.asSingle().flatMap { _ in get }.retry(backoff: waits)
    #expect(failure(of: chain.asObservable()) == nil)
    #expect(count("/post") == 1)
    #expect(count("/twice") == 3)
  }

  @Test("a POST in flight in a shared sequence is not repeated", arguments: Sharing.allCases)
  func postInFlight(_ shared: Sharing) async throws {
    let gate = LoopbackServer.Gate()
    server.route("/post") { _ in .never }
    server.route("/get") { _ in .status(503).held(until: gate) }
    let (post, get) = (shared(try request("/post", .post)), try request("/get"))
    let failures = Lock(0)
    let chain = Single.zip(post, get).retry(backoff: waits) { _ in
      failures.withLock { $0 += 1 }
      return true
    }.asObservable()
    let ended = Task { try await chain.materialize().toArray().value.isEmpty }
    try await server.log(until: { $0.pending == 2 })
    gate.open()
    #expect(try await !ended.value)
    #expect(count("/post") == 1)
    // If there is a second attempt, it ends before it sends anything, and no third one follows.
    #expect(failures.withLock { $0 } <= 1)
  }

  @Test("a retry joins a shared sequence with a POST that another subscriber keeps connected")
  func connectedPost() throws {
    let (post, get) = (try request("/post", .post), try request("/flaky"))
    let login = post.asObservable().concat(Observable.never()).share(replay: 1)
    let keeper = login.subscribe()
    let chain = login.take(1).asSingle().flatMap { _ in get }.retry(backoff: waits)
    #expect(failure(of: chain.asObservable()) == nil)
    #expect(count("/post") == 1)
    #expect(count("/flaky") == 2)
    keeper.dispose()
  }

  @Test("a request whose endpoint has another method than its target is repeated as that method allows")
  func endpointMethod() throws {
    server.route("/slow") { _ in .text("slow").delayed(by: .milliseconds(300)) }
    let provider = NetworkProvider<Target>(endpointClosure: { target in
      Endpoint(
        url: URL(target: target).absoluteString, sampleResponseClosure: { .networkResponse(200, Data()) },
        method: .post, task: target.task, httpHeaderFields: nil)
    })
    let url = try #require(URL(string: server.origin))
    let flaky = provider.rx.request(Target(baseURL: url, path: "/flaky")).filterSuccessfulStatusCodes()
    let mapped = flaky.catch { _ in .error(NetworkError.underlying(URLError(.timedOut), nil)) }
    #expect(failure(of: mapped.retry(backoff: waits).asObservable()) != nil)
    #expect(count("/flaky") == 1)
    let slow = provider.rx.request(Target(baseURL: url, path: "/slow"))
    let hedged = slow.hedged(after: .milliseconds(20), budget: RetryBudget(ratio: 10))
    #expect(failure(of: hedged.asObservable()) == nil)
    #expect(count("/slow") == 1)
  }

  /// A connectable sequence of a user, whose `connect()` takes no context.
  private final class OwnConnectable: ConnectableObservableType, @unchecked Sendable {
    typealias Element = Response
    private let base: ConnectableObservable<Response>

    init(_ single: Single<Response>) { base = single.asObservable().publish() }

    func connect() -> any Disposable { base.connect() }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Response { base.subscribe(observer) }
  }

  @Test("a page does not connect a custom connectable sequence, whose requests cannot be checked")
  func customConnectable() throws {
    let shared = OwnConnectable(try request("/2", of: other)).refCount()
    let first = try request("/1")
    let pages = first.paginate { $0.url?.path == "/1" ? shared.asSingle() : nil }
    let error = failure(of: pages) as? PaginationError
    #expect(error == .uncheckedRequests)
    #expect(error?.errorDescription?.contains("ConnectableObservableType") == true)
    #expect(other.log.connectionsAccepted == 0)
    #expect(failure(of: first.paginate(allowsOtherOrigins: true) { _ in shared.asSingle() }.take(2)) == nil)
    #expect(other.log.connectionsAccepted == 1)
  }

  @Test("the second copy of a hedge that is refused does not end a shared sequence for others")
  func hedgedReplay() throws {
    let gate = LoopbackServer.Gate()
    let slow = Lock(0)
    server.route("/slow") { _ in
      let count = slow.withLock { count in
        count += 1
        return count
      }
      return count == 1 ? .text("slow").held(until: gate) : .text("slow")
    }
    let (get, post) = (try request("/slow"), try request("/post", .post))
    let shared = post.asObservable().share(replay: 1, scope: .forever)
    let second = get.flatMap { _ in shared.asSingle() }.do(onDispose: { gate.open() })
    let chain = second.hedged(after: .milliseconds(20), budget: RetryBudget(ratio: 10))
    #expect(failure(of: chain.asObservable()) == nil)
    #expect(failure(of: shared) == nil)
    #expect(count("/post") == 1)
  }

  @Test("the second copy of a hedge starts no shared sequence with a POST")
  func hedge() throws {
    let gate = LoopbackServer.Gate()
    server.route("/slow") { _ in .text("slow").held(until: gate) }
    let copies = Lock(0)
    let (slow, post) = (try request("/slow"), try request("/post", .post).asObservable().share().asSingle())
    let chain = Single.deferred { () -> Single<Response> in
      let isFirst = copies.withLock { copies in
        copies += 1
        return copies == 1
      }
      // The first copy waits for the second one, however late that starts.
      if !isFirst { gate.open() }
      return isFirst ? slow : post
    }.hedged(after: .milliseconds(20), budget: RetryBudget(ratio: 1))
    #expect(failure(of: chain.asObservable()) == nil)
    #expect(copies.withLock { $0 } == 2)
    #expect(count("/post") == 0)
  }
}
