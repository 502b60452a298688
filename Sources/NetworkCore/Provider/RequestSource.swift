import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a request's answer comes from.
enum RequestSource: Sendable {
  case transport(any Transport)
  /// The endpoint's sample, at once or after so many seconds.
  case sample(Endpoint, after: TimeInterval?)

  init(_ behavior: StubBehavior, endpoint: Endpoint, transport: any Transport) {
    switch behavior {
    case .never: self = .transport(transport)
    case .immediate: self = .sample(endpoint, after: nil)
    case .delayed(let seconds): self = .sample(endpoint, after: seconds)
    }
  }

  var sessionHeaders: [String: String] {
    switch self {
    case .transport(let transport): transport.defaultHeaders.dictionary
    case .sample: [:]
    }
  }
}

extension Endpoint {
  /// What a stubbed request ends with.
  func sample(for request: URLRequest) -> Result<Response, NetworkError> {
    switch sampleResponseClosure() {
    case .networkResponse(let statusCode, let data):
      .success(Response(statusCode: statusCode, data: data, request: request))
    case .response(let response, let data):
      .success(
        Response(statusCode: response.statusCode, data: data, request: request, response: response))
    case .networkError(let error):
      .failure(.underlying(error, nil))
    }
  }
}
