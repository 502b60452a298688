public import Foundation

/// The reason why a next page was not requested.
public enum PaginationError: Error, Sendable, Hashable {
  /// The page has another origin (scheme, host or port) than the first page, and `allowsOtherOrigins` is
  /// `false`.
  case otherOrigin(String, first: String)
}

extension PaginationError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? {
    switch self {
    case .otherOrigin(let origin, let first):
      "The next page is at \(origin.debugDescription), but the first page was at \(first.debugDescription). "
        + "To request pages of other origins, pass allowsOtherOrigins: true."
    }
  }
}
