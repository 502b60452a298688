import Dispatch
import Foundation
import MoyaCompatibility
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Authentication in Moya's manual", .timeLimit(.minutes(5)))
struct MoyaManualAuthenticationTests {
  private enum YourAPI: TargetType, AccessTokenAuthorizable {
    case targetThatNeedsBearerAuth
    case targetThatNeedsBasicAuth
    case targetDoesNotNeedAuth

    var baseURL: URL { return URL(string: "http://localhost")! }
    var path: String { return "/" }

    // Optional since Moya 14, so that `.none` is not a separate scheme.
    var authorizationType: AuthorizationType? {
      switch self {
      case .targetThatNeedsBearerAuth:
        return .bearer
      case .targetThatNeedsBasicAuth:
        return .basic
      case .targetDoesNotNeedAuth:
        return .none
      }
    }
  }

  /// Returns the `Authorization` of each target, as the server receives it.
  private func authorizations(_ plugin: any PluginType) async throws -> [String?] {
    let server = try LoopbackServer { _ in .status(204) }
    let provider = MoyaProvider<YourAPI>(
      endpointClosure: { target in
        MoyaProvider.defaultEndpointMapping(for: target).moved(to: server.origin)
      }, plugins: [plugin])
    for target in [YourAPI.targetThatNeedsBearerAuth, .targetThatNeedsBasicAuth, .targetDoesNotNeedAuth] {
      _ = try await provider.result(of: target).get()
    }
    return server.log.requests.map { $0.headers["Authorization"] }
  }

  @Test("a credential is sent with every request")
  func credential() async throws {
    let sent = try await authorizations(
      CredentialsPlugin { _ -> URLCredential? in
        return URLCredential(user: "user", password: "passwd", persistence: .none)
      })
    let basic = "Basic " + Data("user:passwd".utf8).base64EncodedString()
    #expect(sent == [basic, basic, basic])
  }

  // The closure receives any target; the manual omits the cast.
  @Test("a credential is sent for the targets that need one")
  func credentialByTarget() async throws {
    let sent = try await authorizations(
      CredentialsPlugin { target -> URLCredential? in
        switch target as? YourAPI {
        case .targetThatNeedsBasicAuth:
          return URLCredential(user: "user", password: "passwd", persistence: .none)
        default:
          return nil
        }
      })
    #expect(sent == [nil, "Basic " + Data("user:passwd".utf8).base64EncodedString(), nil])
  }

  @Test("each target's token is sent in the scheme that the target requests")
  func token() async throws {
    let token = "eyeAm.AJsoN.weBTOKen"
    let authPlugin = AccessTokenPlugin(tokenClosure: token)
    #expect(try await authorizations(authPlugin) == ["Bearer \(token)", "Basic \(token)", nil])
  }

  @Test("the plugin reads the token again for each request, from a closure or an expression")
  func freshToken() async throws {
    let count = Lock(0)
    @Sendable func next() -> String {
      count.withLock { count in
        count += 1
        return "\(count)"
      }
    }
    #expect(try await authorizations(AccessTokenPlugin { _ in next() }) == ["Bearer 1", "Basic 2", nil])
    #expect(
      try await authorizations(AccessTokenPlugin(tokenClosure: next())) == ["Bearer 3", "Basic 4", nil])
  }

  /// Signs requests asynchronously.
  private enum YourAwesomeOAuthProvider {
    static func signRequest(_ request: URLRequest, completion: @escaping @Sendable (URLRequest) -> Void) {
      var signed = request
      signed.setValue("OAuth signature", forHTTPHeaderField: "Authorization")
      DispatchQueue.global().async { [signed] in completion(signed) }
    }
  }

  // `urlRequest` throws since Moya 10, and a stored closure is `@escaping` since Swift 3.
  @Test("a request closure may sign the request later")
  func oauth() async throws {
    let server = try LoopbackServer { _ in .status(204) }
    let requestClosure = {
      @Sendable (endpoint: Endpoint, done: @escaping MoyaProvider<YourAPI>.RequestResultClosure) in
      do {
        let request = try endpoint.moved(to: server.origin).urlRequest()
        YourAwesomeOAuthProvider.signRequest(
          request,
          completion: { signedRequest in
            done(.success(signedRequest))
          })
      } catch {
        done(.failure(MoyaError.underlying(error)))
      }
    }
    let provider = MoyaProvider<YourAPI>(requestClosure: requestClosure)
    #expect(try await provider.result(of: .targetDoesNotNeedAuth).get().statusCode == 204)
    #expect(server.log.requests.map { $0.headers["Authorization"] } == ["OAuth signature"])
  }

  @Test("a subclass refreshes a session before each request")
  func subclass() async throws {
    final class RefreshingProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
      let notes = Log()

      @discardableResult override func request(
        _ target: Target, callbackQueue: DispatchQueue? = .none, progress: ProgressBlock? = .none,
        completion: @escaping Completion
      ) -> any Cancellable {
        notes.add("refresh")
        return super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
      }
    }
    let provider = RefreshingProvider<YourAPI>(stubClosure: MoyaProvider.immediatelyStub)
    _ = try await provider.result(of: .targetDoesNotNeedAuth).get()
    _ = try await provider.result(of: .targetDoesNotNeedAuth).get()
    #expect(provider.notes.all == ["refresh", "refresh"])
  }
}

extension Endpoint {
  /// Returns a copy that is sent to another server.
  fileprivate func moved(to origin: String) -> Endpoint {
    Endpoint(
      url: "\(origin)/", sampleResponseClosure: sampleResponseClosure, method: method, task: task,
      httpHeaderFields: httpHeaderFields)
  }
}
