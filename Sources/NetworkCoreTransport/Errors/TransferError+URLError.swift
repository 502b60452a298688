public import Foundation

extension TransferError {
  /// Foundation's matching code; `nil` if there is none.
  public var urlErrorCode: URLError.Code? {
    switch self {
    case .cancelled: .cancelled
    case .timedOut: .timedOut
    case .cannotFindHost: .cannotFindHost
    case .cannotConnect: .cannotConnectToHost
    case .connectionLost, .truncatedBody: .networkConnectionLost
    case .secureConnectionFailed: .secureConnectionFailed
    case .certificate: .serverCertificateUntrusted
    case .badServerResponse: .badServerResponse
    case .tooManyRedirects: .httpTooManyRedirects
    case .unsupportedURL: .unsupportedURL
    case .notStored: .resourceUnavailable
    default: nil
    }
  }
}

extension TransferError: CustomNSError {
  /// Foundation's error domain for transfers, `NSURLErrorDomain`.
  public static var errorDomain: String { NSURLErrorDomain }

  /// Foundation's code, such as `NSURLErrorTimedOut`; `NSURLErrorUnknown` if none matches.
  public var errorCode: Int { (urlErrorCode ?? .unknown).rawValue }

  /// The user info, which contains `errorDescription`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}
