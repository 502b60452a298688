import Foundation
import Moya
import RxBlocking
import RxMoya
import RxSwift

/// The application without a screen: it performs a user's actions against a server in this process.
@main enum Program {
  static func main() {
    do {
      let server = try CodeHost()
      let isAsExpected = try run(server)
      exit(isAsExpected ? 0 : 1)
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  /// Performs the actions of each screen and prints the results.
  ///
  /// Returns `true` if the plugin and the server have counted the same requests.
  private static func run(_ server: CodeHost) throws -> Bool {
    let spy = SpyPlugin()
    let auth = MoyaProvider<AuthAPI>(
      endpointClosure: { Providers.endpointClosure(for: $0, on: server.url) }, plugins: [spy])
    let refresher = TokenRefresher(provider: auth)
    let provider = Providers.github(token: { refresher.token.value }, server: server.url, plugins: [spy])

    let login = LoginViewModel(provider: auth)
    login.user.accept("ash")
    login.password.accept("secret")
    let tokens = login.result.replay(1)
    let connection = tokens.connect()
    login.tap.onNext(())
    print("login    \(try value(tokens).get().access)")
    connection.dispose()

    let request = Single.deferred { provider.rx.request(.userProfile("ash")) }
    let profile = try refresher.authorized(request).mapString(atKeyPath: "login").toBlocking(timeout: 60)
      .single()
    print("profile  \(profile), after \(server.refusals) refusal and one new token")

    try search(provider, server)

    let list = RepositoryListViewModel(user: "ash", provider: provider)
    for _ in 0..<3 { list.nextPage.accept(()) }
    _ = try value(list.finished.filter { $0 })
    print("pages    \(list.repositories.value.map { $0.fullName }.joined(separator: ", "))")

    let upload = UploadViewModel(data: Data(repeating: 7, count: 1 << 20), provider: provider)
    let status = try upload.finished.toBlocking(timeout: 60).single()
    let steps = try upload.progress.toBlocking(timeout: 60).toArray()
    print("upload   \(status), with \(steps == steps.sorted() ? "growing" : "odd") progress")

    let sent = spy.events.filter { $0.hasPrefix("send") }.count
    print(
      "server   \(server.requestCount) requests; the plugin saw \(sent) begin, \(spy.events.count - sent) end"
    )
    return sent == server.requestCount && spy.events.count == 2 * sent
  }

  private static func search(_ provider: MoyaProvider<GitHubAPI>, _ server: CodeHost) throws {
    let query = PublishSubject<String>()
    let viewModel = SearchViewModel(
      provider: provider, scheduler: SerialDispatchQueueScheduler(qos: .userInitiated))
    let output = viewModel.transform(.init(query: query, retry: .never()))
    let found = output.repositories.replay(1)
    let typing = found.connect()
    query.onNext("slow")
    try server.waitForHeldRequest()
    query.onNext("swift")
    print("search   \(try value(found).map { $0.fullName }.joined(separator: ", "))")
    try server.waitForAbandonedRequest()
    print("         the request for \"slow\" was cancelled when the text changed")
    typing.dispose()
    withExtendedLifetime(viewModel) {}
  }

  private static func value<Element>(_ source: Observable<Element>) throws -> Element {
    return try source.take(1).toBlocking(timeout: 60).single()
  }
}
