import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// The source of a request's response.
enum ResponseSource: Sendable {
  /// Responds to a request without a transport.
  typealias Stub = @Sendable (URLRequest, @escaping Completion) -> any Cancellable

  case transport(any Transport)
  /// The fields are those that the transport would add to each request.
  case stub(Stub, HTTPHeaders)

  var isStub: Bool {
    switch self {
    case .transport: false
    case .stub: true
    }
  }

  var sessionHeaders: [String: String] {
    switch self {
    case .transport(let transport): transport.defaultHeaders.dictionary
    case .stub(_, let headers): headers.dictionary
    }
  }
}

extension EndpointSampleResponse {
  /// The result of a stubbed request.
  package func result(for request: URLRequest) -> Result<Response, NetworkError> {
    switch self {
    case .networkResponse(let statusCode, let data):
      .success(Response(statusCode: statusCode, data: data, request: request))
    case .response(let response, let data):
      .success(
        Response(statusCode: response.statusCode, data: data, request: request, response: response))
    case .networkError(let error):
      .failure(.underlying(error.missingMock ?? error, nil))
    case .webSocket(let script):
      .success(script.response(to: request))
    }
  }
}
