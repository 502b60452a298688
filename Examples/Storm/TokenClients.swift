import ReactiveNetwork
import ReactiveNetworkLock
import LoopbackServer

/// Calls whose token expires when the outage begins, while the service that refreshes it hangs.
final class TokenClients: Sendable {
  /// The numbers of calls.
  struct CallCounts {
    /// The calls that have not ended.
    var waiting = 0
    /// The calls that were answered after the outage.
    var recovered = 0
  }

  private let server: LoopbackServer
  private let service: TokenService
  private let provider: NetworkProvider<ServiceRequest>
  private let token: BehaviorRelay<String>
  private let refresher: TokenRefresher
  private let state = Lock((counts: CallCounts(), phase: RunStatistics.Phase.before))

  /// Creates the clients, whose refreshes take a second at most, or any time.
  init(isBounded: Bool) throws {
    let service = TokenService()
    let server = try LoopbackServer { service.reply(to: $0) }
    let provider = NetworkProvider<ServiceRequest>(transport: try CurlTransport())
    let token = BehaviorRelay(value: "")
    refresher = TokenRefresher(longestRefresh: isBounded ? .seconds(1) : .never) {
      provider.rx.request(ServiceRequest(baseURL: server.baseURL, path: "/token"))
        .filterSuccessfulStatusCodes()
        .mapString()
        .map { token.accept($0) }
    }
    self.server = server
    self.service = service
    self.provider = provider
    self.token = token
  }

  var counts: CallCounts { state.withLock { $0.counts } }

  /// The number of refreshes in the server's log.
  var refreshes: Int { server.log.requests.count { $0.path == "/token" } }

  /// Begins a phase of the run.
  func begin(_ phase: RunStatistics.Phase) {
    service.setFailing(phase == .outage)
    state.withLock { $0.phase = phase }
  }

  /// Makes ten calls a second until the subscription is disposed.
  func calls(on scheduler: any SchedulerType) -> Observable<Never> {
    Observable<Int>.interval(.milliseconds(100), scheduler: scheduler).flatMap { _ in self.call() }
  }

  private func call() -> Observable<Never> {
    Observable.deferred {
      self.state.withLock { $0.counts.waiting += 1 }
      return self.request()
        .filterSuccessfulStatusCodes()
        .refreshingToken(with: self.refresher)
        .do(
          onSuccess: { _ in self.recordEnd(isAnswered: true) },
          onError: { _ in self.recordEnd(isAnswered: false) }
        )
        .asObservable().ignoreElements().catch { _ in .empty() }
    }
  }

  /// Returns a request with the token at the time of the subscription.
  private func request() -> Single<Response> {
    Single.deferred {
      self.provider.rx.request(
        ServiceRequest(
          baseURL: self.server.baseURL, path: "/price",
          headers: ["Authorization": "Bearer \(self.token.value)"]))
    }
  }

  private func recordEnd(isAnswered: Bool) {
    state.withLock { state in
      state.counts.waiting -= 1
      if isAnswered, state.phase == .after { state.counts.recovered += 1 }
    }
  }
}

/// A service whose token expires when an outage begins; in the outage, a refresh gets no response.
private final class TokenService: Sendable {
  private let state = Lock((validToken: 1, isFailing: false))

  func setFailing(_ isFailing: Bool) {
    state.withLock { state in
      if isFailing { state.validToken += 1 }
      state.isFailing = isFailing
    }
  }

  func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
    let (validToken, isFailing) = state.withLock { $0 }
    guard request.path == "/token" else {
      return request.headers["Authorization"] == "Bearer \(validToken)" ? .text("12") : .status(401)
    }
    return isFailing ? .never : .text("\(validToken)")
  }
}
