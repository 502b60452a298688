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
