#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension NetworkProvider {
  /// The transfers under way that further callers may share, with the completions of those who wait for them.
  ///
  /// Empty without `trackInflights`. It is a picture of a moment: a request may end while it is looked at.
  public var inflightRequests: [Endpoint: [Completion]] {
    let all = inflight.all.map { ($0.endpoint, $0.completions) }
    return [Endpoint: [Completion]](all, uniquingKeysWith: +)
  }

  /// A session with the fields that Alamofire sends with each request.
  ///
  /// - Returns: a new session, with connections of its own.
  public static func defaultAlamofireSession() -> Session {
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    return Session(configuration: configuration, startRequestsImmediately: false)
  }

  /// The request as it is: the plugins have been told before `stubRequest` is called.
  ///
  /// It is here for subclasses written for Moya, whose `stubRequest` must call it.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - target: what is asked for.
  /// - Returns: the request.
  public final func notifyPluginsOfImpendingStub(for request: URLRequest, target: Target) -> URLRequest {
    request
  }
}
