import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
import Moya
import RxMoya
import RxSwift

enum Providers {
  static func configuration() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    configuration.timeoutIntervalForRequest = 20
    configuration.requestCachePolicy = .useProtocolCachePolicy
    return configuration
  }

  static func endpointClosure<T: TargetType>(for target: T) -> Endpoint {
    let defaultEndpoint = MoyaProvider.defaultEndpointMapping(for: target)
    return defaultEndpoint.adding(newHTTPHeaderFields: ["X-App": "Porting"])
  }

  /// Returns the same endpoint on another server.
  static func endpointClosure<T: TargetType>(for target: T, on server: URL) -> Endpoint {
    let endpoint = endpointClosure(for: target)
    return Endpoint(
      url: server.appendingPathComponent(target.path).absoluteString,
      sampleResponseClosure: endpoint.sampleResponseClosure, method: endpoint.method, task: endpoint.task,
      httpHeaderFields: endpoint.httpHeaderFields)
  }

  /// Creates a provider; without a server, it responds with sample data.
  static func github(
    token: @escaping () -> String, server: URL? = nil, plugins: [PluginType] = [],
    trackInflights: Bool = false
  ) -> MoyaProvider<GitHubAPI> {
    let endpointClosure = { (target: GitHubAPI) -> Endpoint in
      guard let server = server else { return Providers.endpointClosure(for: target) }
      return Providers.endpointClosure(for: target, on: server)
    }
    let requestClosure = {
      (endpoint: Endpoint, done: @escaping MoyaProvider<GitHubAPI>.RequestResultClosure) in
      do {
        var request = try endpoint.urlRequest()
        request.timeoutInterval = 10
        done(.success(request))
      } catch MoyaError.requestMapping(let url) {
        done(.failure(.requestMapping(url)))
      } catch MoyaError.parameterEncoding(let error) {
        done(.failure(MoyaError.parameterEncoding(error)))
      } catch {
        done(.failure(MoyaError.underlying(error, nil)))
      }
    }
    let logger = NetworkLoggerPlugin(
      configuration: .init(
        formatter: .init(responseData: Providers.prettyJSON),
        output: { _, items in _ = items.count },
        logOptions: [.requestMethod, .requestHeaders, .errorResponseBody]))
    let activity = NetworkActivityPlugin { change, target in
      switch change {
      case .began: _ = target.path
      case .ended: break
      }
    }
    return MoyaProvider<GitHubAPI>(
      endpointClosure: endpointClosure,
      requestClosure: requestClosure,
      stubClosure: server == nil ? MoyaProvider.immediatelyStub : MoyaProvider.neverStub,
      callbackQueue: nil,
      session: Session(configuration: configuration(), startRequestsImmediately: false),
      plugins: [AccessTokenPlugin { _ in token() }, logger, activity, CachePolicyPlugin()] + plugins,
      trackInflights: trackInflights)
  }

  private static func prettyJSON(_ data: Data) -> String {
    do {
      let object = try JSONSerialization.jsonObject(with: data)
      let pretty = try JSONSerialization.data(withJSONObject: object, options: .prettyPrinted)
      return String(data: pretty, encoding: .utf8) ?? ""
    } catch {
      return String(data: data, encoding: .utf8) ?? ""
    }
  }
}

/// Waits for a connection before each request.
final class OnlineProvider<Target> where Target: Moya.TargetType {
  private let online: Observable<Bool>
  private let provider: MoyaProvider<Target>

  init(
    endpointClosure: @escaping MoyaProvider<Target>.EndpointClosure = MoyaProvider<Target>
      .defaultEndpointMapping,
    requestClosure: @escaping MoyaProvider<Target>.RequestClosure = MoyaProvider<Target>
      .defaultRequestMapping,
    stubClosure: @escaping MoyaProvider<Target>.StubClosure = MoyaProvider<Target>.neverStub,
    session: Session = MoyaProvider<Target>.defaultAlamofireSession(),
    plugins: [PluginType] = [],
    trackInflights: Bool = false,
    online: Observable<Bool> = .just(true)
  ) {
    self.online = online
    self.provider = MoyaProvider(
      endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
      session: session, plugins: plugins, trackInflights: trackInflights)
  }

  func request(_ token: Target) -> Observable<Moya.Response> {
    let actualRequest = provider.rx.request(token)
    return
      online
      .filter { $0 }
      .take(1)
      .flatMap { _ in actualRequest }
  }
}

/// Calls a closure before each request, like the subclass in Moya's documentation.
final class RefreshingProvider<Target: TargetType>: MoyaProvider<Target> {
  var willRequest: ((Target) -> Void)?

  @discardableResult
  override func request(
    _ target: Target, callbackQueue: DispatchQueue? = .none, progress: ProgressBlock? = .none,
    completion: @escaping Completion
  ) -> Cancellable {
    willRequest?(target)
    return super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
  }
}
