public import Foundation

extension TransferError {
  /// The code that Foundation has for such an error, `nil` where it has none that fits.
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
  /// Foundation's domain of errors of transfers, `NSURLErrorDomain`.
  public static var errorDomain: String { NSURLErrorDomain }

  /// Foundation's code, such as `NSURLErrorTimedOut`; `NSURLErrorUnknown` where it has none that fits.
  public var errorCode: Int { (urlErrorCode ?? .unknown).rawValue }

  /// The description.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}
