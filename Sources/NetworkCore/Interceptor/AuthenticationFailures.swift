public import Foundation

/// A request was refused without the credential that an `AuthenticationInterceptor` had put into it.
///
/// It comes with the refusal: `NetworkError.underlying` has this error and the response.
public struct OverwrittenCredentialError: Error, Sendable, Hashable, LocalizedError {
  /// The type of the interceptor.
  public let interceptor: String
  /// The type of the plugin or adapter that set `Authorization` last; `nil` if none did behind the interceptor.
  public let overwriter: String?
  /// The status of the refusal.
  public let statusCode: Int

  /// Who overwrote whom, and what to do, in one line.
  public var errorDescription: String? {
    let cause =
      overwriter.map { "\($0) replaced the Authorization that \(interceptor) had set" }
      ?? "The request was sent without the credential that \(interceptor) has"
    return
      "\(cause), and the server refused the request with status \(statusCode). Keep only one of the two, "
      + "or let isRequest(_:authenticatedWith:) recognize the credential."
  }
}

/// A refresh of a credential would wait for itself: one of its own requests needs that credential.
public struct RefreshCycleError: Error, Sendable, Hashable, LocalizedError {
  /// The type that refreshes the credential.
  public let refresher: String

  package init(refresher: String) {
    self.refresher = refresher
  }

  /// What would wait for what, and what to do, in one line.
  public var errorDescription: String? {
    """
    The refresh of \(refresher) made a request that waits for the same refresh. Make that request with a provider that has no such \
    interceptor, or without refreshingToken(with:).
    """
  }
}

/// The refreshes that the running code belongs to, so that one does not wait for itself.
///
/// A task that a refresh starts belongs to it as well, a block on a queue does not.
package struct RunningRefresh: Sendable {
  @TaskLocal private static var all: [RunningRefresh] = []

  private let owner: any AnyObject & Sendable
  private let number: Int

  /// Runs the code that begins a refresh.
  ///
  /// - Parameters:
  ///   - owner: what refreshes.
  ///   - number: which of its refreshes it is.
  ///   - begin: begins it.
  package static func run(of owner: any AnyObject & Sendable, number: Int, _ begin: () -> Void) {
    $all.withValue(all + [RunningRefresh(owner: owner, number: number)]) { begin() }
  }

  /// The number of the refresh of an owner that the running code belongs to; `nil` for none.
  package static func number(of owner: AnyObject) -> Int? { all.last { $0.owner === owner }?.number }
}
