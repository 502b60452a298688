import Foundation
import NetworkCore
import ReactiveNetwork
import ReactiveSwiftCompatibility
import RxLite
import RxLiteTesting

private func use(_: Any...) {}

private enum GitHub: TargetType {
  case zen
  case repos(String)
  case image(String)
  case avatar(URL)
  case log
  case ticker
  case feed
  case news
  case search(String)
  case home
  case issues(page: Int)
  case page(URL)
  case job(Int)
  case user(String)
  case profile
  case refresh

  var baseURL: URL { URL(string: "https://api.github.com")! }
  var path: String { "/" }
}

private struct Repo: Decodable, Sendable {}

private struct Tick: Decodable {
  let price: Int
}
private struct Home: Decodable, Sendable {}
private struct Issue: Decodable, Sendable {}
private struct User: Decodable, Sendable {}
private struct Token: Decodable, Sendable {}
private struct Job: Decodable, Sendable {
  let isDone: Bool
}

private struct Account: Sendable {
  func signOut() {}
}

private func producers(_ provider: NetworkProvider<GitHub>) {
  provider.reactive.request(.zen).start { event in
    switch event {
    case .value(let response): print(response.statusCode)
    case .failed(let error): print(error)
    case .completed, .interrupted: break
    }
  }
}

private func transfers(_ provider: NetworkProvider<GitHub>, _ file: URL, _ bag: DisposeBag) {
  provider.rx.download(.image("large.iso"), to: file)
    .filterSuccessfulStatusCodes()
    .subscribe(onNext: { print(Int($0.progress * 100), "%") })
    .disposed(by: bag)
  provider.rx.events(.news)
    .filter { $0.event == "message" }
    .subscribe(onNext: { print($0.data) })
    .disposed(by: bag)
  let upload = provider.rx.requestWithProgress(.avatar(file)).share(replay: 1)
  let bar = upload.filterProgress()
  let response = upload.filterCompleted()
  use(bar, response)
  let commands = PublishSubject<WebSocketMessage>()
  provider.rx.webSocket(.ticker, sending: commands)
    .subscribe(onNext: { print($0) })
    .disposed(by: bag)
  provider.rx.webSocket(.ticker).decode(Tick.self)
    .subscribe(onNext: { print($0.price) })
    .disposed(by: bag)
  let feed = provider.rx.webSocketSubject(.feed)
  let bitcoin = feed.multiplex(subscribe: .text("+BTC"), unsubscribe: .text("-BTC")) { message in
    message.text?.hasPrefix("BTC") == true
  }
  use(bitcoin)
  provider.rx.stream(.log).subscribe(onNext: { print($0.count) }).disposed(by: bag)
}

private func request(_ provider: NetworkProvider<GitHub>) {
  let bag = DisposeBag()
  provider.rx.request(.repos("ash"))
    .filterSuccessfulStatusCodes()
    .map([Repo].self)
    .subscribe(onSuccess: { print($0.count) }, onFailure: { print($0) })
    .disposed(by: bag)
}

private func virtualTime() {
  let scheduler = TestScheduler(initialClock: 0)
  let provider = NetworkProvider<GitHub>(
    stubClosure: NetworkProvider.delayedStub(5), scheduler: scheduler.asDelayScheduler())
  use(provider)
}

private func activity(_ provider: NetworkProvider<GitHub>, _ queries: Observable<String>) {
  let activity = ActivityIndicator()
  let responses = queries.flatMapLatest { provider.rx.request(.search($0)).trackActivity(activity) }
  _ = activity.asObservable().subscribe(onNext: { print($0 ? "loading" : "done") })
  use(responses)
}

private func backoff() {
  let patient = Backoff.exponential(initial: .milliseconds(500), multiplier: 2, max: .seconds(30))
  use(patient)
}

private func envelope(_ provider: NetworkProvider<GitHub>, _ session: Account) {
  let envelope = Envelope { refusal in if refusal.code == 4000 { session.signOut() } }
  _ = provider.rx.request(.home).unwrapEnvelope(Home.self, envelope)
}

private func pages(_ provider: NetworkProvider<GitHub>) -> Observable<[Issue]> {
  provider.rx.paginate(.issues(page: 1)) { response in response.links["next"].map { .page($0) } }
    .map([Issue].self)
}

private func resumedPages(_ provider: NetworkProvider<GitHub>) -> Observable<Response> {
  let cursor = PageCursor<GitHub>()
  let pages = provider.rx.paginate(.issues(page: 1), from: cursor) { $0.links["next"].map { .page($0) } }
  let issues = pages.filterSuccessfulStatusCodes().retry(backoff: .exponential())
  return issues
}

private func cache(_ provider: NetworkProvider<GitHub>) -> Single<User> {
  let account = CacheScope()
  let profile = provider.rx.value(.profile, as: User.self).cached(for: .seconds(60), in: account)
  // At sign-out:
  account.removeAll()
  return profile
}

private func keyedCache(_ provider: NetworkProvider<GitHub>, _ account: CacheScope) {
  func user(_ name: String) -> Single<User> {
    provider.rx.value(.user(name), as: User.self).cached(for: .seconds(60), key: name, in: account)
  }
  use(user)
}

private func polling(_ provider: NetworkProvider<GitHub>, _ id: Int) -> Observable<Job> {
  provider.rx.value(.job(id), as: Job.self).poll(every: .seconds(2)) { $0.isDone }
}

private func retry(_ provider: NetworkProvider<GitHub>) -> Single<Response> {
  provider.rx.request(.repos("ash"))
    .filterSuccessfulStatusCodes()
    .retry(backoff: .exponential(), maxAttempts: 4)
}

private func retryWithPolicy(_ provider: NetworkProvider<GitHub>) -> Single<Response> {
  let policy = RetryPolicy(retryLimit: 5, deadline: .seconds(30))
  let repos = provider.rx.request(.repos("ash")).filterSuccessfulStatusCodes().retry(policy)
  return repos
}

private func breaker(_ provider: NetworkProvider<GitHub>) -> Single<Response> {
  let breaker = CircuitBreaker(opensAt: .failureRatio(0.5, minimumCalls: 20, window: .seconds(10)))
  let response = provider.rx.request(.zen).circuitBreaker(breaker)
  return response
}

private func attempts(
  _ provider: NetworkProvider<GitHub>, _ breaker: CircuitBreaker
) -> Single<Response> {
  let response = provider.rx.request(.zen)
    .circuitBreaker(breaker)
    .retry(backoff: .exponential(), maxAttempts: 3)
  return response
}

private func limit(_ provider: NetworkProvider<GitHub>) -> Single<Response> {
  let limit = ConcurrencyLimit(8, maxWaiting: 32)
  let response = provider.rx.request(.zen).limitConcurrency(limit, priority: 1, longestWait: .seconds(2))
  return response
}

private func rate(_ provider: NetworkProvider<GitHub>) -> Single<Response> {
  let limit = RateLimit(100, per: .seconds(60))
  let response = provider.rx.request(.zen).limitRate(limit, longestWait: .seconds(5))
  return response
}

private func hedge(_ provider: NetworkProvider<GitHub>) -> Single<Response> {
  let hedge = HedgePolicy(
    after: .percentile(95, initially: .milliseconds(200)), budget: RetryBudget(ratio: 0.1))
  let answer = provider.rx.request(.zen).hedged(hedge)
  return answer
}

private func throttle(
  _ provider: NetworkProvider<GitHub>, _ names: Observable<String>
) -> Observable<Response> {
  names.throttleRequests(max: 10, per: .seconds(1)).flatMap { provider.rx.request(.user($0)) }
}

private func refresh(
  _ provider: NetworkProvider<GitHub>, _ auth: NetworkProvider<GitHub>,
  _ store: @escaping @Sendable (Token) -> Void
) -> Single<Response> {
  let refresher = TokenRefresher { auth.rx.request(.refresh).map(Token.self).map { store($0) } }
  return provider.rx.request(.profile)
    .filterSuccessfulStatusCodes()
    .refreshingToken(with: refresher)
}
