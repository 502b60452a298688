public import Foundation
internal import ReactiveNetworkLock

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
      ?? "The sent request has no credential that \(interceptor) recognizes"
    return
      "\(cause), and the server refused the request with status \(statusCode). Make sure that nothing else "
      + "sets Authorization, and that isRequest(_:authenticatedWith:) recognizes the credential."
  }
}

/// The error of a request of a `TokenRefresher`'s refresh that would wait for the same refresh.
public struct RefreshCycleError: Error, Sendable, Hashable, LocalizedError {
  /// The type that refreshes the credential.
  public let refresher: String

  package init(refresher: String) {
    self.refresher = refresher
  }

  /// A one-line description of the cause and of the remedy.
  public var errorDescription: String? {
    """
    The refresh of \(refresher) made a request that waits for the same refresh. Make that request without \
    refreshingToken(with:).
    """
  }
}

/// The error of a refresh that took too long, and of the requests that waited for it.
public struct RefreshTimeoutError: Error, Sendable, Hashable, LocalizedError {
  /// The type that refreshes the credential.
  public let refresher: String
  /// The limit.
  public let limit: Duration

  package init(refresher: String, limit: Duration) {
    self.refresher = refresher
    self.limit = limit
  }

  /// A one-line description of the error and of the remedy.
  public var errorDescription: String? {
    """
    The refresh of \(refresher) did not end within \(limit.inSeconds) s. Raise longestRefresh if it may take \
    longer. If it makes a request that waits for the same refresh, make that request with a provider without this \
    interceptor, or without refreshingToken(with:).
    """
  }
}
