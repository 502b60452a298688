import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The types in the article, which describe one service.
private enum Examples {
  struct Profile: Decodable, Sendable {
    let name: String
  }

  struct Order: Decodable, Sendable {
    let id: Int
  }

  struct Token: Codable, Sendable {
    let value: String
  }

  enum Account: TargetType, AccessTokenAuthorizable {
    case renew
    case profile
    case orders

    var baseURL: URL { URL(string: "https://account.example")! }

    var path: String {
      switch self {
      case .renew: "/token"
      case .profile: "/profile"
      case .orders: "/orders"
      }
    }

    var method: HTTPMethod {
      switch self {
      case .renew: .post
      case .profile, .orders: .get
      }
    }

    var authorizationType: AuthorizationType? {
      switch self {
      case .renew: nil
      case .profile, .orders: .bearer
      }
    }
  }

  final class TokenStore: Sendable {
    private let token = Mutex("")

    var current: String { token.withLock { $0 } }

    func replace(by new: Token) {
      token.withLock { $0 = new.value }
    }
  }

  /// Calls the real service, so it is not run.
  static func atHome() -> NetworkProvider<Account> {
    let store = TokenStore()
    let provider = NetworkProvider<Account>(plugins: [AccessTokenPlugin { _ in store.current }])
    return provider
  }

  static func refresher(_ provider: NetworkProvider<Account>, _ store: TokenStore) -> TokenRefresher {
    let refresher = TokenRefresher {
      provider.rx.value(.renew, as: Token.self).map { store.replace(by: $0) }
    }
    return refresher
  }

  static func profile(_ provider: NetworkProvider<Account>, _ refresher: TokenRefresher) -> Single<Profile> {
    let profile = provider.rx.request(.profile)
      .filterSuccessfulStatusCodes()
      .refreshingToken(with: refresher)
      .map(Profile.self)
    return profile
  }

  struct Credential: AuthenticationCredential, Decodable {
    let token: String
    let expires: Date

    var requiresRefresh: Bool { expires < Date(timeIntervalSinceNow: 60) }
  }

  final class AccountAuthenticator: Authenticator {
    // A separate provider, because requests of the authenticated provider wait for the refresh.
    let renewals: NetworkProvider<Account>

    init(renewals: NetworkProvider<Account>) {
      self.renewals = renewals
    }

    func apply(_ credential: Credential, to urlRequest: inout URLRequest) {
      urlRequest.setValue("Bearer \(credential.token)", forHTTPHeaderField: "Authorization")
    }

    func refresh(
      _ credential: Credential, for session: Session,
      completion: @escaping @Sendable (Result<Credential, any Error>) -> Void
    ) {
      renewals.request(.renew) { result in
        completion(Result { try result.get().filterSuccessfulStatusCodes().map(Credential.self) })
      }
    }

    func didRequest(
      _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool {
      response.statusCode == 401
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool {
      urlRequest.value(forHTTPHeaderField: "Authorization") == "Bearer \(credential.token)"
    }
  }

  /// Calls the real service, so it is not run.
  static func careful(_ first: Credential) -> NetworkProvider<Account> {
    let authenticator = AccountAuthenticator(renewals: NetworkProvider<Account>())
    let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: first)
    let careful = NetworkProvider<Account>(interceptors: [interceptor])
    return careful
  }

  static func envelope(_ store: TokenStore) -> Envelope {
    let envelope = Envelope { refusal in
      if refusal.code == 4000 { store.replace(by: Token(value: "")) }
    }
    return envelope
  }

  static func orders(_ provider: NetworkProvider<Account>, _ envelope: Envelope) -> Single<[Order]> {
    let orders = provider.rx.request(.orders).unwrapEnvelope([Order].self, envelope)
    return orders
  }
}

@Suite("Examples in Authentication", .timeLimit(.minutes(5)))
struct AuthenticationTests {
  /// Accepts only the new token; responds when three requests with the old one are waiting.
  private func server() throws -> (LoopbackServer, LoopbackServer.Gate) {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer()
    server.route("POST", "/token") { _ in .json(#"{"value": "new", "token": "new", "expires": 4e9}"#) }
    server.route("/profile") { request in
      request.headers["Authorization"] == "Bearer new"
        ? .json(#"{"name": "ash"}"#) : .status(401).held(until: gate)
    }
    return (server, gate)
  }

  @Test("three refused requests share one refresh, and are retried with the new token")
  func refresher() async throws {
    let (server, gate) = try server()
    let store = Examples.TokenStore()
    store.replace(by: Examples.Token(value: "old"))
    let provider = NetworkProvider<Examples.Account>(
      at: server, plugins: [AccessTokenPlugin { _ in store.current }])
    let refresher = Examples.refresher(provider, store)
    let tasks = (0..<3).map { _ in
      Task { try await Examples.profile(provider, refresher).value.name }
    }
    try await server.log(until: { $0.pending == 3 })
    gate.open()
    for task in tasks { #expect(try await task.value == "ash") }
    #expect(server.log.requests.count { $0.path == "/token" } == 1)
    #expect(store.current == "new")
  }

  @Test("the interceptor refreshes the credential for requests without Rx, also before it expires")
  func interceptor() async throws {
    let (server, gate) = try server()
    gate.open()
    for expires in [Date.distantFuture, Date(timeIntervalSinceNow: 5)] {
      let authenticator = Examples.AccountAuthenticator(renewals: NetworkProvider(at: server))
      let first = Examples.Credential(token: "old", expires: expires)
      let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: first)
      let provider = NetworkProvider<Examples.Account>(at: server, interceptors: [interceptor])
      let profile = try await provider.value(for: .profile, as: Examples.Profile.self)
      #expect(profile.name == "ash")
    }
    // The second credential was refreshed before it was refused.
    let paths = ["/profile", "/token", "/profile", "/token", "/profile"]
    #expect(server.log.requests.map(\.path) == paths)
  }

  @Test("an error code in the body signs the user out")
  func envelope() async throws {
    let server = try LoopbackServer { _ in .json(#"{"code": 4000, "data": null, "message": "signed out"}"#) }
    let store = Examples.TokenStore()
    store.replace(by: Examples.Token(value: "old"))
    let orders = Examples.orders(NetworkProvider(at: server), Examples.envelope(store))
    let refusal = await #expect(throws: EnvelopeRefusal.self) { _ = try await orders.value }
    #expect(refusal?.message == "signed out")
    #expect(store.current.isEmpty)
  }
}
