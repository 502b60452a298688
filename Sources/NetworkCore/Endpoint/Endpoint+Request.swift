internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension Endpoint {
  /// Builds the request.
  ///
  /// - Returns: the request, with the task applied.
  /// - Throws: `NetworkError.requestMapping` with the URL if it is invalid, or if it has no scheme and
  ///   contains characters that a URL cannot contain, such as a space; `.parameterEncoding` or
  ///   `.encodableMapping` if the content of the task cannot be encoded; `.underlying` with
  ///   `TransferError.invalidField` for a path or URL with CR, LF or NUL, or with the error of the target's
  ///   `modify(_:)`.
  public func urlRequest() throws -> URLRequest {
    try refuseLineBreaks()
    guard let url = parsedURL ?? URL(endpoint: url) else { throw NetworkError.requestMapping(url) }
    var request = URLRequest(url: url)
    // Each change of a URLRequest costs as much as making one, so only values that differ from the defaults
    // are set, and all fields are set at once.
    if method != .get { request.httpMethod = method.rawValue }
    if let fields = headerFields { request.allHTTPHeaderFields = fields }

    switch task {
    case .requestPlain, .downloadDestination:
      break
    case .requestData(let data):
      request.httpBody = data
    case .requestJSONEncodable(let value):
      request.httpBody = try json(value, JSONEncoder())
    case .requestCustomJSONEncodable(let value, let encoder):
      request.httpBody = try json(value, encoder)
    case .requestParameters(let parameters, let encoding),
      .downloadParameters(let parameters, let encoding, _):
      request = try request.encoded(parameters, encoding)
    case .requestCompositeData(let data, let urlParameters):
      request = try request.encoded(urlParameters, URLEncoding.queryString)
      request.httpBody = data
    case .requestCompositeParameters(let bodyParameters, let bodyEncoding, let urlParameters):
      request = try request.encoded(bodyParameters, bodyEncoding.writingBody)
      request = try request.encoded(urlParameters, URLEncoding.queryString)
    case .uploadFile(let file):
      request.httpBodyStream = BodyPlaceholder(.body(.file(file)))
    case .uploadMultipartFormData:
      break
    case .uploadCompositeMultipartFormData(_, let urlParameters):
      request = try request.encoded(urlParameters, URLEncoding.queryString)
    }
    if let form = task.form { request.httpBodyStream = BodyPlaceholder(.form(form)) }
    try target?.applySettings(to: &request)
    return request
  }

  /// Rejects a path or URL with CR, LF or NUL, because escaping it would hide a mistake or an attack.
  private func refuseLineBreaks() throws(NetworkError) {
    if let path = target?.path { try refuseLineBreaks(in: path, named: "path") }
    try refuseLineBreaks(in: url, named: "url")
  }

  private func refuseLineBreaks(in value: String, named name: String) throws(NetworkError) {
    guard value.withBytes({ $0.contains(where: \.breaksLine) }) else { return }
    throw .underlying(TransferError.invalidField(name: name, value: value), nil)
  }

  /// The header fields to send, including the type of a JSON body.
  private var headerFields: [String: String]? {
    switch task {
    case .requestJSONEncodable, .requestCustomJSONEncodable:
      var fields = httpHeaderFields ?? [:]
      if !fields.keys.contains(where: { $0.equalsIgnoringASCIICase("Content-Type") }) {
        fields["Content-Type"] = "application/json"
      }
      return fields
    default:
      return httpHeaderFields
    }
  }

  private func json(_ value: any Encodable, _ encoder: JSONEncoder) throws(NetworkError) -> Data {
    do {
      return try encoder.encodeSorted(value)
    } catch {
      throw .encodableMapping(error)
    }
  }
}

extension URL {
  /// Parses the URL of an endpoint; `nil` if it is invalid.
  ///
  /// Foundation escapes invalid characters, and so reads any sentence as a relative path. Only a URL with a
  /// scheme is escaped here.
  fileprivate init?(endpoint text: String) {
    guard let url = URL(string: text) else { return nil }
    guard url.scheme != nil || URL(string: text, encodingInvalidCharacters: false) != nil else { return nil }
    self = url
  }
}

extension TargetType {
  /// Adds the settings that an endpoint does not have.
  fileprivate func applySettings(to request: inout URLRequest) throws(NetworkError) {
    if let timeout { request.timeoutInterval = timeout.inSeconds }
    if let cachePolicy { request.cachePolicy = cachePolicy }
    do {
      try modify(&request)
    } catch {
      throw NetworkError(wrapping: error)
    }
  }
}

extension URLRequest {
  fileprivate func encoded(
    _ parameters: Parameters, _ encoding: any ParameterEncoding
  ) throws(NetworkError) -> URLRequest {
    do {
      return try encoding.encode(self, with: parameters)
    } catch NetworkError.encodableMapping(let error) {
      throw .encodableMapping(error)
    } catch {
      throw .parameterEncoding(error)
    }
  }
}

extension ParameterEncoding {
  /// The encoding itself; for a `URLEncoding`, a copy that writes to the body.
  fileprivate var writingBody: any ParameterEncoding {
    guard let encoding = self as? URLEncoding else { return self }
    return URLEncoding(
      destination: .httpBody, arrayEncoding: encoding.arrayEncoding, boolEncoding: encoding.boolEncoding)
  }
}
