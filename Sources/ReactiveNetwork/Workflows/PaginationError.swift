public import Foundation

/// The reason why a next page was not requested.
public enum PaginationError: Error, Sendable, Hashable {
  /// The page has another origin (scheme, host or port) than the first page, and `allowsOtherOrigins` is
  /// `false`.
  case otherOrigin(String, first: String)
  /// The first page sent no request that is known, so the origin of the page could not be compared with it,
  /// and `allowsOtherOrigins` is `false`.
  case unknownFirstOrigin(String)
  /// The page would have connected a connectable sequence of a type outside the package, whose requests
  /// cannot be checked, and `allowsOtherOrigins` is `false`.
  case uncheckedRequests
}

extension PaginationError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? {
    switch self {
    case .otherOrigin(let origin, let first):
      "The next page is at \(origin.debugDescription), but the first page was at "
        + "\(first.debugDescription). To request pages of other origins, pass allowsOtherOrigins: true."
    case .unknownFirstOrigin(let origin):
      "The next page is at \(origin.debugDescription), but the origin of the first page is unknown, "
        + "because that page sent no request. To request pages of any origin, pass allowsOtherOrigins: true."
    case .uncheckedRequests:
      "The next page connects a sequence of a custom ConnectableObservableType, so the origins of its "
        + "requests cannot be checked. To request pages of any origin, pass allowsOtherOrigins: true."
    }
  }
}
