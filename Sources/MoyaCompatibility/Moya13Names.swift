public import Dispatch

#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

// Names from before Moya 14 and Alamofire 5, which existing code and many articles still use. They forward to
// the current names and are not deprecated.

/// `Session` in the spelling of Moya 13.
public typealias Manager = Session
/// `ServerTrustManager` in the spelling of Alamofire 4.
public typealias ServerTrustPolicyManager = ServerTrustManager

extension Session {
  /// The fields that Alamofire sends with each request.
  public static var defaultHTTPHeaders: [String: String] { HTTPHeaders.default.dictionary }

  /// The older spelling of `init(configuration:serverTrustManager:)`.
  ///
  /// - Parameters:
  ///   - configuration: the configuration, as in `init(configuration:serverTrustManager:)`.
  ///   - serverTrustPolicyManager: the checks of the hosts' certificates; `nil` for the default checks.
  public convenience init(
    configuration: URLSessionConfiguration, serverTrustPolicyManager: ServerTrustManager?
  ) {
    self.init(configuration: configuration, serverTrustManager: serverTrustPolicyManager)
  }
}

extension NetworkProvider {
  /// The older spelling of
  /// `init(endpointClosure:requestClosure:stubClosure:callbackQueue:session:plugins:trackInflights:)`.
  ///
  /// - Parameters:
  ///   - endpointClosure: makes an endpoint from a target.
  ///   - requestClosure: makes a request from an endpoint.
  ///   - stubClosure: decides whether a target's request is stubbed.
  ///   - callbackQueue: the queue of the callbacks; `nil` for a background thread of the transport.
  ///   - manager: the session that carries the requests.
  ///   - plugins: the plugins that see requests and responses, in this order.
  ///   - trackInflights: whether equal requests that are in flight at the same time share one transfer.
  @preconcurrency public convenience init(
    endpointClosure: @escaping EndpointClosure = NetworkProvider.defaultEndpointMapping,
    requestClosure: @escaping RequestClosure = NetworkProvider.defaultRequestMapping,
    stubClosure: @escaping StubClosure = NetworkProvider.neverStub,
    callbackQueue: DispatchQueue? = nil, manager: Session, plugins: [any PluginType] = [],
    trackInflights: Bool = false
  ) {
    self.init(
      endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
      callbackQueue: callbackQueue, session: manager, plugins: plugins, trackInflights: trackInflights)
  }

  /// The older spelling of `defaultAlamofireSession()`.
  ///
  /// - Returns: a new session, with separate connections.
  public static func defaultAlamofireManager() -> Session { defaultAlamofireSession() }
}

extension ServerTrustPolicy {
  /// A policy that requires one of the given keys from the server, in the spelling of Alamofire 4.
  ///
  /// - Parameters:
  ///   - publicKeys: the keys; an empty list rejects every server.
  ///   - validateCertificateChain: whether the chain is checked as well.
  ///   - validateHost: whether the certificate must name the host.
  /// - Returns: the policy.
  public static func pinPublicKeys(
    publicKeys: [PublicKeyPin], validateCertificateChain: Bool, validateHost: Bool
  ) -> ServerTrustPolicy {
    var policy = ServerTrustPolicy()
    policy.publicKeys = publicKeys
    policy.checksChain = validateCertificateChain
    policy.checksHost = validateHost
    return policy
  }
}

extension ServerTrustPolicy: ServerTrustEvaluating {
  /// The policy itself, for any host.
  public func policy(forHost host: String) -> ServerTrustPolicy { self }
}

extension ServerTrustManager {
  /// Makes a manager of policies, in the spelling of Alamofire 4.
  ///
  /// The certificate of a host without a policy gets the default checks.
  ///
  /// - Parameter policies: the policies by host.
  public convenience init(policies: [String: ServerTrustPolicy]) {
    self.init(allHostsMustBeEvaluated: false, evaluators: policies)
  }
}

extension AccessTokenPlugin {
  /// Makes a plugin that uses one token for all targets.
  ///
  /// - Parameter tokenClosure: returns the token; evaluated once for each attempt of a request that carries
  ///   one.
  @preconcurrency public init(tokenClosure: @escaping @autoclosure @Sendable () -> String) {
    self.init { _ in tokenClosure() }
  }
}

extension NetworkActivityPlugin {
  /// Makes a plugin whose closure does not take the target.
  ///
  /// - Parameter networkActivityClosure: called with each change, on the thread of `willSend` or
  ///   `didReceive`.
  @preconcurrency public convenience init(
    networkActivityClosure: @escaping @Sendable (_ change: NetworkActivityChangeType) -> Void
  ) {
    self.init { change, _ in networkActivityClosure(change) }
  }
}

extension NetworkLoggerPlugin {
  /// Makes a plugin in the spelling of Moya 13; see `init(configuration:)`, which `NetworkLoggerPlugin()` calls.
  ///
  /// - Parameters:
  ///   - verbose: whether bodies are logged too.
  ///   - cURL: whether a request is logged only as a shell command.
  ///   - output: called with each item, and with the separator and the terminator as in `print`; `nil` prints
  ///     the items.
  ///   - requestDataFormatter: formats a request's body as text.
  ///   - responseDataFormatter: formats the data of a response's body before it is logged as text, such as
  ///     JSON with indentation.
  @_disfavoredOverload
  @preconcurrency public convenience init(
    verbose: Bool = false, cURL: Bool = false,
    output: (@Sendable (_ separator: String, _ terminator: String, _ items: Any...) -> Void)? = nil,
    requestDataFormatter: (@Sendable (Data) -> String)? = nil,
    responseDataFormatter: (@Sendable (Data) -> Data)? = nil
  ) {
    typealias Formatter = Configuration.Formatter
    let format = Formatter.defaultDataFormatter
    var configuration = Configuration(
      formatter: Formatter(
        requestData: requestDataFormatter ?? format,
        responseData: { format(responseDataFormatter?($0) ?? $0) }),
      logOptions: verbose ? .verbose : .default)
    if cURL { configuration.logOptions.insert(.formatRequestAscURL) }
    if let output {
      configuration.output = { _, items in
        for item in items { output(" ", "\n", item) }
      }
    }
    self.init(configuration: configuration)
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of a `NetworkError` as an `NSError`.
public let MoyaErrorDomain = NetworkError.errorDomain

/// The codes of a `NetworkError` as an `NSError`.
public enum MoyaErrorCode: Int, Sendable {
  /// The body is not an image.
  case imageMapping
  /// The body is not JSON.
  case jsonMapping
  /// The body is not text.
  case stringMapping
  /// The body could not be decoded.
  case objectMapping
  /// The value to send could not be encoded.
  case encodableMapping
  /// The response has a status code that is not accepted.
  case statusCode
  /// The transfer failed.
  case underlying
  /// The URL is invalid.
  case requestMapping
  /// The parameters could not be encoded.
  case parameterEncoding
}
