import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where a request's answer comes from.
enum RequestSource: Sendable {
  case transport(any Transport)
  /// A sample, at once or after so many seconds.
  case sample(Endpoint.SampleResponseClosure, after: TimeInterval?)

  init(_ behavior: StubBehavior, sample: @escaping Endpoint.SampleResponseClosure, transport: any Transport) {
    switch behavior {
    case .never: self = .transport(transport)
    case .immediate: self = .sample(sample, after: nil)
    case .delayed(let seconds): self = .sample(sample, after: seconds)
    }
  }

  var isStub: Bool {
    switch self {
    case .transport: false
    case .sample: true
    }
  }

  var sessionHeaders: [String: String] {
    switch self {
    case .transport(let transport): transport.defaultHeaders.dictionary
    case .sample: [:]
    }
  }
}

extension EndpointSampleResponse {
  /// What a stubbed request ends with.
  func result(for request: URLRequest) -> Result<Response, NetworkError> {
    switch self {
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
