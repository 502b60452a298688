/// Which status codes are a success; with any other the request fails with `NetworkError.statusCode`.
public enum ValidationType: Sendable, Hashable {
  /// Every status code.
  case none
  /// 200 to 299.
  case successCodes
  /// 200 to 399.
  case successAndRedirectCodes
  /// These codes; an empty list means every one.
  case customCodes([Int])

  /// The codes that are a success; empty stands for all.
  public var statusCodes: [Int] {
    switch self {
    case .none: []
    case .successCodes: Array(200..<300)
    case .successAndRedirectCodes: Array(200..<400)
    case .customCodes(let codes): codes
    }
  }

  func accepts(_ statusCode: Int) -> Bool {
    switch self {
    case .none: true
    case .successCodes: 200..<300 ~= statusCode
    case .successAndRedirectCodes: 200..<400 ~= statusCode
    case .customCodes(let codes): codes.isEmpty || codes.contains(statusCode)
    }
  }
}

/// Everything that a target asks of an answer.
struct ResponseValidation: Sendable, Hashable {
  let statusCodes: ValidationType
  /// In order.
  let contentTypes: [String]?

  init(_ target: some TargetType) {
    statusCodes = target.validationType
    contentTypes = target.acceptableContentTypes?.sorted()
  }

  /// Why the answer is not welcome; the first reason counts.
  func error(for response: Response) -> NetworkError? {
    guard statusCodes.accepts(response.statusCode) else { return .statusCode(response) }
    guard let contentTypes, let error = response.contentTypeError(contentTypes) else { return nil }
    return .underlying(error, response)
  }

  /// Why the type of the body to come is not welcome; an empty one has none.
  func contentTypeError(forHeadOf response: Response) -> ContentTypeError? {
    guard let contentTypes, response.statusCode != 204, response.headers["Content-Length"] != "0" else {
      return nil
    }
    return response.headContentTypeError(contentTypes)
  }
}
