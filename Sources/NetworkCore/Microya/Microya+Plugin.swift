#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension Microya {
  /// A plugin in Microya's words, of which subclasses override what they need; see `PluginType`.
  ///
  /// `@unchecked Sendable` because subclassing is allowed: it has no properties, and a subclass must keep what it adds safe to use
  /// from several threads.
  open class Plugin<EndpointType: APITargetType>: PluginType, @unchecked Sendable {
    /// Makes a plugin that does nothing.
    public init() {}

    /// Called to change a request before it is sent.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - endpoint: what is asked for.
    open func modifyRequest(_ request: inout URLRequest, endpoint: EndpointType) {}

    /// Called when a request is about to be sent.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - endpoint: what is asked for.
    open func willPerformRequest(_ request: URLRequest, endpoint: EndpointType) {}

    /// Called when an answer has been decoded, or the request has failed, before the caller is told.
    ///
    /// - Parameters:
    ///   - urlSessionResult: what came over the wire.
    ///   - typedResult: what the caller gets.
    ///   - endpoint: what was asked for.
    open func didPerformRequest<ResultType: Decodable>(
      urlSessionResult: (data: Data?, response: URLResponse?, error: (any Error)?),
      typedResult: Result<ResultType, ApiError<EndpointType.ClientErrorType>>, endpoint: EndpointType
    ) {}

    /// Has `modifyRequest(_:endpoint:)` change the request.
    public final func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
      guard let endpoint = target as? EndpointType else { return request }
      var request = request
      modifyRequest(&request, endpoint: endpoint)
      return request
    }

    /// Calls `willPerformRequest(_:endpoint:)`.
    public final func willSend(_ request: any RequestType, target: any TargetType) {
      guard let endpoint = target as? EndpointType, let request = request.request else { return }
      willPerformRequest(request, endpoint: endpoint)
    }
  }
}

extension Result where Success == Response, Failure == NetworkError {
  /// The parts that Foundation would have handed over.
  var parts: (data: Data?, response: URLResponse?, error: (any Error)?) {
    switch self {
    case .success(let response): (response.data, response.response, nil)
    case .failure(let error): (error.response?.data, error.response?.response, error)
    }
  }
}
