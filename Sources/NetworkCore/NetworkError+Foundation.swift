public import Foundation

extension NetworkError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? { Secrets.standard.shown(text: sentence) }

  private var sentence: String {
    switch self {
    case .imageMapping: "The body is not an image."
    case .jsonMapping: "The body is not JSON, or has nothing at the key path."
    case .stringMapping: "The body is not text, or has no text at the key path."
    case .objectMapping(let error, _): "The body could not be decoded: \(error)"
    case .encodableMapping(let error): "The value could not be encoded: \(error)"
    case .statusCode(let response): "The status code \(response.statusCode) is not one of those asked for."
    case .underlying(let error, _): error.localizedDescription
    case .requestMapping(let url): "\"\(Secrets.standard.shown(url: url))\" is not a URL."
    case .parameterEncoding(let error): "The parameters could not be encoded: \(error.localizedDescription)"
    }
  }
}

extension NetworkError: CustomNSError {
  /// `NetworkCore.NetworkError`.
  public static var errorDomain: String { "NetworkCore.NetworkError" }

  /// 0 to 8, in the order of the cases.
  public var errorCode: Int {
    switch self {
    case .imageMapping: 0
    case .jsonMapping: 1
    case .stringMapping: 2
    case .objectMapping: 3
    case .encodableMapping: 4
    case .statusCode: 5
    case .underlying: 6
    case .requestMapping: 7
    case .parameterEncoding: 8
    }
  }

  /// The description, the error underneath where there is one, and under `data` the body of the answer where there is one.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [:]
    info[NSLocalizedDescriptionKey] = errorDescription
    info[NSUnderlyingErrorKey] = underlyingError
    info["data"] = response?.data
    return info
  }
}
