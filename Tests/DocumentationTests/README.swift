import LoopbackServer
import ReactiveNetwork
import ReactiveNetworkLock
import Testing

@Suite("The first program in the README", .timeLimit(.minutes(5)))
struct FirstProgramTests {
  @Test("the first program prints what the README says")
  func program() async throws {
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }

    struct Search: TargetType {
      let baseURL: URL
      let text: String
      var path: String { "/search/\(text)" }
    }

    // Takes the place of a service that answers only the last of these texts.
    let server = try LoopbackServer { $0.path == "/search/swift" ? .text("7 results") : .never }
    let provider = NetworkProvider<Search>()

    let texts = Observable.from(["s", "sw", "swift"])
      .concatMap { Observable.just($0).delay(.milliseconds(300), scheduler: MainScheduler.instance) }
    let results = texts.flatMapLatest { text in  // a newer text cancels the older request
      provider.rx.request(Search(baseURL: server.baseURL, text: text)).mapString()
    }
    for try await result in results.values { print(result) }
    let log = try await server.log(until: { $0.abandoned.count == 2 })
    print("\(log.requests.count) requests, \(log.abandoned.count) of them cancelled on the wire")

    let readme = try Document("README.md").text
    #expect(readme.contains("prints:\n\n```\n\(printed.joined(separator: "\n"))\n```\n"))
  }
}

private enum Examples {
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
