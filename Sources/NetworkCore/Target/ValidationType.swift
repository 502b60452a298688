#if canImport(FoundationNetworking)
  import FoundationNetworking
#else
  import Foundation
#endif

/// The status codes that are a success; any other code fails the request with `NetworkError.statusCode`.
public enum ValidationType: Sendable, Hashable {
  /// Every status code.
  case none
  /// 200 to 299.
  case successCodes
  /// 200 to 399.
  case successAndRedirectCodes
  /// These codes; an empty list accepts every code.
  case customCodes([Int])

  /// The accepted codes; an empty array stands for all codes.
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

/// The checks of a response that a target requires.
struct ResponseValidation: Sendable, Hashable {
  let statusCodes: ValidationType
  /// Sorted.
  let contentTypes: [String]?

  /// Accepts every response.
  static let acceptingAll = ResponseValidation(statusCodes: .none, contentTypes: nil)

  private init(statusCodes: ValidationType, contentTypes: [String]?) {
    (self.statusCodes, self.contentTypes) = (statusCodes, contentTypes)
  }

  init(_ target: some TargetType) {
    statusCodes = target.validationType
    contentTypes = target.acceptableContentTypes?.sorted()
  }

  /// Returns the first reason to reject the response; `nil` if there is none.
  ///
  /// A downloaded file is not rejected any more: its head was accepted before the file was written.
  func error(for response: Response) -> NetworkError? {
    guard response.fileURL == nil else { return nil }
    guard statusCodes.accepts(response.statusCode) else { return .statusCode(response) }
    guard let contentTypes, let error = response.contentTypeError(contentTypes) else { return nil }
    return .underlying(error, response)
  }

  /// Returns the error for the type of a body that has not arrived yet; `nil` if the type is accepted or the
  /// body is empty.
  func contentTypeError(forHeadOf response: Response) -> ContentTypeError? {
    guard let contentTypes, ![204, 205, 304].contains(response.statusCode),
      response.headers["Content-Length"] != "0", response.request?.httpMethod != "HEAD"
    else { return nil }
    return response.headContentTypeError(contentTypes)
  }
}
