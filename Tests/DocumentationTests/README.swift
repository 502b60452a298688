import LoopbackServer
import ReactiveNetwork
import ReactiveNetworkLock
import RxLiteTesting
import Testing

private enum Examples {
  struct Repository: Decodable, Sendable {
    let name: String
  }

  struct SearchField {
    let text: Observable<String>
  }

  enum GitHub: TargetType {
    case search(String)

    var baseURL: URL { URL(string: "https://api.github.com")! }
    var path: String { "/search/repositories" }
    var task: HTTPTask {
      switch self {
      case .search(let text): .requestParameters(parameters: ["q": text], encoding: URLEncoding.queryString)
      }
    }
  }

  /// Calls the real service, so it is not run.
  static func atHome(_ searchField: SearchField) -> Observable<[String]> {
    let provider = NetworkProvider<GitHub>()
    return names(searchField, provider)
  }

  static func names(_ searchField: SearchField, _ provider: NetworkProvider<GitHub>) -> Observable<[String]> {
    let names = searchField.text
      .debounce(.milliseconds(300), scheduler: MainScheduler.instance)
      .distinctUntilChanged()
      .flatMapLatest { text in  // a newer text cancels the older request
        provider.rx.request(.search(text))
          .filterSuccessfulStatusCodes()
          .map([Repository].self, atKeyPath: "items")
          .retry(backoff: .exponential(), maxAttempts: 3)
          .catchAndReturn([])
      }
      .map { $0.map(\.name) }
    return names
  }

  struct Profile: Decodable, Equatable, Sendable {
    let name: String
  }

  enum Account: TargetType {
    case profile

    var baseURL: URL { URL(string: "https://account.example")! }
    var path: String { "/profile" }
  }

  static func profile(
    _ provider: NetworkProvider<Account>, _ refresher: TokenRefresher, _ activity: ActivityIndicator
  ) -> Single<Profile> {
    provider.rx.request(.profile)
      .filterSuccessfulStatusCodes()
      .refreshingToken(with: refresher)  // one refresh for all refused requests
      .retry(backoff: .exponential(), maxAttempts: 4)  // honours Retry-After
      .trackActivity(activity)  // for a spinner: activity.asObservable()
      .map(Profile.self)
      .cached(for: .seconds(60))
  }
}

@Suite("Examples in the README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  @Test("the search runs against a server in this process")
  func search() async throws {
    let server = try LoopbackServer { _ in .json(#"{"items": [{"name": "site"}, {"name": "dotfiles"}]}"#) }
    let names = Examples.names(.init(text: .just("ash")), NetworkProvider(at: server))
    #expect(try await names.asSingle().value == ["site", "dotfiles"])
    #expect(server.log.requests.map(\.target) == ["/search/repositories?q=ash"])
    _ = Examples.atHome
  }

  @Test("a request is refreshed, retried, decoded and cached")
  func workflow() async throws {
    let states = Lock([401, 503, 200])
    let server = try LoopbackServer { _ in
      switch states.withLock({ $0.isEmpty ? 200 : $0.removeFirst() }) {
      case 200: .json(#"{"name": "ash"}"#)
      case let status: .status(status).header("Retry-After", "0")
      }
    }
    let refreshes = Lock(0)
    let refresher = TokenRefresher {
      refreshes.withLock { $0 += 1 }
      return .just(())
    }
    let activity = ActivityIndicator()
    let profile = Examples.profile(NetworkProvider(at: server), refresher, activity)
    for _ in 0..<3 { #expect(try await profile.value == Examples.Profile(name: "ash")) }
    #expect(server.log.requests.count == 3)
    #expect(refreshes.withLock { $0 } == 1)
    // The subscription ends after the response has been delivered.
    for try await count in activity.inFlight.values where count == 0 { break }
  }

  @Test("a delay is tested with marbles")
  func drawn() throws {
    let marbles = Marbles()
    let source = try marbles.hot("-a|")
    try marbles.expect("---a|", from: source.delay(.seconds(2), scheduler: marbles.scheduler))
  }

  @Test("a cancellation is proven by the server's log")
  func proof() async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<Examples.Account>(at: server)
    let subscription = provider.rx.request(.profile).subscribe()
    try await server.log(until: { $0.pending == 1 })
    subscription.dispose()
    try await server.log(until: { $0.abandoned.count == 1 })
  }
}
