public import Foundation

/// The error of a refused request that lacked the credential of its `AuthenticationInterceptor`.
///
/// `NetworkError.underlying` contains this error and the server's response.
public struct OverwrittenCredentialError: Error, Sendable, Hashable, LocalizedError {
  /// The type of the interceptor.
  public let interceptor: String
  /// The type of the plugin or adapter that set `Authorization` last; `nil` if none did after the
  /// interceptor.
  public let overwriter: String?
  /// The status of the refusal.
  public let statusCode: Int

  /// A one-line description of the cause and of the remedy.
  public var errorDescription: String? {
    let cause =
      overwriter.map { "\($0) replaced the Authorization that \(interceptor) had set" }
      ?? "The request was sent without the credential of \(interceptor)"
    return
      "\(cause), and the server refused the request with status \(statusCode). Make sure that nothing else "
      + "sets Authorization, and that isRequest(_:authenticatedWith:) recognizes the credential."
  }
}

/// The error of a request that belongs to a refresh, and would wait for the same refresh.
public struct RefreshCycleError: Error, Sendable, Hashable, LocalizedError {
  /// The type that refreshes the credential.
  public let refresher: String

  package init(refresher: String) {
    self.refresher = refresher
  }

  /// A one-line description of the cause and of the remedy.
  public var errorDescription: String? {
    """
    The refresh of \(refresher) made a request that waits for the same refresh. Make that request with a \
    provider without this interceptor, or without refreshingToken(with:).
    """
  }
}

/// The error of a refresh that took too long, and of the requests that waited for it.
public struct RefreshTimeoutError: Error, Sendable, Hashable, LocalizedError {
  /// The type that refreshes the credential.
  public let refresher: String
  /// The limit in seconds.
  public let seconds: TimeInterval

  package init(refresher: String, seconds: TimeInterval) {
    self.refresher = refresher
    self.seconds = seconds
  }

  /// A one-line description of the error and of the remedy.
  public var errorDescription: String? {
    """
    The refresh of \(refresher) did not end within \(seconds) s. Raise longestRefresh if it may take longer. If it \
    makes a request that waits for the same refresh, make that request with a provider without this interceptor, or \
    without refreshingToken(with:).
    """
  }
}

/// A refresh of an interceptor that the running code belongs to.
///
/// A task that a refresh starts belongs to the refresh; a block on a queue does not. So this only makes a refresh
/// that waits for itself fail early. `longestRefresh` ends every other one.
struct RunningRefresh: Sendable {
  @TaskLocal private static var all: [RunningRefresh] = []

  private let owner: any AnyObject & Sendable
  private let number: Int

  /// Runs the code that begins a refresh.
  ///
  /// - Parameters:
  ///   - owner: the object that refreshes.
  ///   - number: the number of the refresh.
  ///   - begin: begins the refresh.
  static func run(of owner: any AnyObject & Sendable, number: Int, _ begin: () -> Void) {
    $all.withValue(all + [RunningRefresh(owner: owner, number: number)]) { begin() }
  }

  /// Returns the number of the owner's refresh that the running code belongs to; `nil` if there is none.
  static func number(of owner: AnyObject) -> Int? { all.last { $0.owner === owner }?.number }
}
