public import Foundation

/// Why a next page was not requested.
public enum PaginationError: Error, Sendable, Hashable {
  /// The page has another origin (scheme, host and port) than the first page, and `allowsOtherOrigins` is `false`.
  case otherOrigin(String, first: String)
}

extension PaginationError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? {
    switch self {
    case .otherOrigin(let origin, let first):
      "The next page is at \(origin.debugDescription), and the first one was at \(first.debugDescription); "
        + "allowsOtherOrigins requests it all the same."
    }
  }
}
