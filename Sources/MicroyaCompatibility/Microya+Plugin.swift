#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension Microya {
  /// A plugin with Microya's names, which correspond to the methods of `PluginType`.
  ///
  /// Subclasses override the methods that they need.
  ///
  /// `@unchecked Sendable` because subclassing is allowed: the class has no properties, and a subclass must
  /// make its own safe to use from several threads.
  open class Plugin<EndpointType: APITargetType>: PluginType, @unchecked Sendable {
    /// Makes a plugin that does nothing.
    public init() {}

    /// Called to change a request before it is sent.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - endpoint: the target.
    open func modifyRequest(_ request: inout URLRequest, endpoint: EndpointType) {}

    /// Called when a request is about to be sent.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - endpoint: the target.
    open func willPerformRequest(_ request: URLRequest, endpoint: EndpointType) {}

    /// Called when a response has been decoded, or the request has failed, before the caller gets the result.
    ///
    /// - Parameters:
    ///   - urlSessionResult: the response or error of the transfer.
    ///   - typedResult: the result that the caller gets.
    ///   - endpoint: the target.
    open func didPerformRequest<ResultType: Decodable>(
      urlSessionResult: (data: Data?, response: URLResponse?, error: (any Error)?),
      typedResult: Result<ResultType, ApiError<EndpointType.ClientErrorType>>, endpoint: EndpointType
    ) {}

    /// Calls `modifyRequest(_:endpoint:)`.
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

extension Microya.Plugin: TypedResultPlugin {
  package func didDecode<Body: Decodable, Target: APITargetType>(
    _ result: Result<Body, APIError<Target.ClientErrorType>>, from received: Result<Response, NetworkError>,
    target: Target
  ) {
    guard let endpoint = target as? EndpointType,
      let typedResult = result as? Result<Body, APIError<EndpointType.ClientErrorType>>
    else { return }
    didPerformRequest(urlSessionResult: received.parts, typedResult: typedResult, endpoint: endpoint)
  }
}

extension Result where Success == Response, Failure == NetworkError {
  /// The values that a data task of Foundation would have passed.
  var parts: (data: Data?, response: URLResponse?, error: (any Error)?) {
    switch self {
    case .success(let response): (response.data, response.response, nil)
    case .failure(let error): (error.response?.data, error.response?.response, error)
    }
  }
}
