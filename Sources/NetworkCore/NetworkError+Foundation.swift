public import Foundation

extension NetworkError: LocalizedError {
  /// A description of the error: Moya's sentence for the case, then the details.
  ///
  /// For `.underlying`, the description of the underlying error.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .imageMapping: "Failed to map data to an Image."
    case .jsonMapping(let response):
      if let keyPath = response.missingKeyPath {
        "Failed to map data to JSON. The body has no value at the key path \"\(keyPath)\"."
      } else {
        "Failed to map data to JSON. The body is not JSON."
      }
    case .stringMapping: "Failed to map data to a String. It is not text, or has no text at the key path."
    case .objectMapping(let error, _): "Failed to map data to a Decodable object. \(error)"
    case .encodableMapping(let error): "Failed to encode Encodable object into data. \(error)"
    case .statusCode(let response):
      "Status code didn't fall within the given range. It is \(response.statusCode)."
    case .underlying(let error, _): error.localizedDescription
    case .requestMapping(let url):
      "Failed to map Endpoint to a URLRequest. \"\(Redactor.standard.redacted(url: url))\" is not a URL."
    case .parameterEncoding(let error):
      "Failed to encode parameters for URLRequest. \(error.localizedDescription)"
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

  /// The description, the underlying error (if any), and the response body (if any) under the key `data`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [:]
    info[NSLocalizedDescriptionKey] = errorDescription
    info[NSUnderlyingErrorKey] = underlyingError
    info["data"] = response?.data
    return info
  }
}
