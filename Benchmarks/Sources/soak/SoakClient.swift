import Foundation
import FoundationNetworking
import NetworkCore
import ReactiveNetwork
import RxLite
import Synchronization

/// A transport, and a provider over it that has all policies.
final class SoakClient: Sendable {
  let transport: CurlTransport
  let provider: NetworkProvider<SoakTarget>
  let budget = RetryBudget(ratio: 1, minimumPerSecond: 100)
  /// The folder of downloads and uploads.
  let folder: URL
  /// A file to upload.
  let upload: URL

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - addresses: the addresses of the server, which also issues the tokens.
  ///   - folder: an empty folder.
  ///   - authorities: the certificates to trust, in PEM.
  /// - Throws: an error of the file system, or of the transport's settings.
  init(_ addresses: ServerAddresses, folder: URL, authorities: Data) throws {
    self.folder = folder
    upload = folder.appending(path: "upload")
    try pattern(uploadCount).write(to: upload)
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(authorities)
    configuration.timeouts.connect = .seconds(5)
    transport = try CurlTransport(configuration: configuration)
    let hedge = HedgePolicy(
      after: .percentile(99, initially: .milliseconds(500)), budget: RetryBudget(ratio: 0.05))
    let breakers = PerOrigin {
      CircuitBreaker(
        opensAt: .failureRatio(0.5, minimumCalls: 50, window: .seconds(2)),
        probeWait: .milliseconds(200), longestProbeWait: .milliseconds(500))
    }
    let limited = transport.hedged(hedge).perOrigin(breakers) { $0.circuitBreaker($1) }
      .limitConcurrency(ConcurrencyLimit(48, maxWaiting: 1_000), longestWait: .seconds(10))
    let cache = try HTTPCache(
      memoryCapacity: 100_000, diskCapacity: 1_000_000, directory: folder.appending(path: "cache"))
    provider = NetworkProvider(
      transport: CachingTransport(limited, cache: cache),
      interceptors: [
        AuthenticationInterceptor(
          authenticator: TokenAuthenticator(transport: transport, url: addresses.plain + "/token"),
          credential: Token(value: "none"), refreshWindow: nil, longestRefresh: .seconds(5)),
        RetryPolicy(retryLimit: 3, exponentialBackoffScale: 0.01, budget: budget),
      ])
  }
}

/// A request to the server.
struct SoakTarget: TargetType {
  let origin: String
  let path: String
  let scenario: String
  var method = HTTPMethod.get
  var task = HTTPTask.requestPlain
  var query: String?

  var baseURL: URL { URL(string: origin) ?? URL(filePath: "/") }
  var url: URL { URL(string: origin + path + (query.map { "?" + $0 } ?? "")) ?? baseURL }
  var headers: [String: String]? { [scenarioField: scenario] }
  var timeout: Duration? { .seconds(20) }
  // Without it, no interceptor would see a refusal.
  var validationType: ValidationType { .successCodes }
}

struct Token: AuthenticationCredential {
  let value: String
  let requiresRefresh = false
}

/// Adds the server's token to requests for `/private`, and asks for a new one when the server refuses it.
private final class TokenAuthenticator: Authenticator {
  private let transport: CurlTransport
  private let url: String

  init(transport: CurlTransport, url: String) {
    self.transport = transport
    self.url = url
  }

  func apply(_ credential: Token, to request: inout URLRequest) {
    guard request.url?.path == "/private" else { return }
    request.setValue("Bearer \(credential.value)", forHTTPHeaderField: "Authorization")
  }

  func refresh(
    _ credential: Token, for session: Session,
    completion: @escaping @Sendable (Result<Token, any Error>) -> Void
  ) {
    let received = Mutex(Data())
    _ = transport.start(TransportRequest(url: url, headers: [scenarioField: "token"])) { event in
      switch event {
      case .body(let piece): received.withLock { $0.append(piece) }
      case .finished(let error?): completion(.failure(error))
      case .finished(nil):
        completion(.success(Token(value: received.withLock { String(decoding: $0, as: UTF8.self) })))
      default: break
      }
    }
  }

  func didRequest(
    _ request: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
  ) -> Bool {
    response.statusCode == 401
  }

  func isRequest(_ request: URLRequest, authenticatedWith credential: Token) -> Bool {
    request.value(forHTTPHeaderField: "Authorization") == "Bearer \(credential.value)"
  }
}
