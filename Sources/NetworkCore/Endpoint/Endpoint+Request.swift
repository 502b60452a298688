#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension Endpoint {
  /// Builds the request.
  ///
  /// - Returns: the request, its task applied.
  /// - Throws: `NetworkError.requestMapping` with the URL where it is not one, `.parameterEncoding` and
  ///   `.encodableMapping` where the task's content cannot be encoded.
  public func urlRequest() throws -> URLRequest {
    guard let url = parsedURL ?? URL(string: url) else { throw NetworkError.requestMapping(url) }
    var request = URLRequest(url: url)
    // GET is what a request starts with, and setting it costs as much as making the request.
    if method != .get { request.httpMethod = method.rawValue }
    if let httpHeaderFields { request.allHTTPHeaderFields = httpHeaderFields }

    switch task {
    case .requestPlain:
      break
    case .requestData(let data):
      request.httpBody = data
    case .requestJSONEncodable(let value):
      try request.setJSON(value, encoder: JSONEncoder())
    case .requestCustomJSONEncodable(let value, let encoder):
      try request.setJSON(value, encoder: encoder)
    case .requestParameters(let parameters, let encoding):
      request = try request.encoded(parameters, encoding)
    case .requestCompositeData(let data, let urlParameters):
      request = try request.encoded(urlParameters, URLEncoding.queryString)
      request.httpBody = data
    case .requestCompositeParameters(let bodyParameters, let bodyEncoding, let urlParameters):
      request = try request.encoded(bodyParameters, bodyEncoding.writingBody)
      request = try request.encoded(urlParameters, URLEncoding.queryString)
    }
    return request
  }
}

extension URLRequest {
  fileprivate mutating func setJSON(_ value: any Encodable, encoder: JSONEncoder) throws(NetworkError) {
    do {
      httpBody = try encoder.encode(value)
    } catch {
      throw .encodableMapping(error)
    }
    if self.value(forHTTPHeaderField: "Content-Type") == nil {
      setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
  }

  fileprivate func encoded(
    _ parameters: Parameters, _ encoding: any ParameterEncoding
  ) throws(NetworkError) -> URLRequest {
    do {
      return try encoding.encode(self, with: parameters)
    } catch {
      throw .parameterEncoding(error)
    }
  }
}

extension ParameterEncoding {
  /// Itself, but for a `URLEncoding` the one that writes to the body.
  fileprivate var writingBody: any ParameterEncoding {
    guard let encoding = self as? URLEncoding else { return self }
    return URLEncoding(
      destination: .httpBody, arrayEncoding: encoding.arrayEncoding, boolEncoding: encoding.boolEncoding)
  }
}
