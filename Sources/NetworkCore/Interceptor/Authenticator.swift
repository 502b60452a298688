public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A credential that authenticates requests, for instance a pair of OAuth tokens.
@preconcurrency public protocol AuthenticationCredential: Sendable {
  /// Whether the credential must be refreshed before use, for instance because it expires within minutes.
  var requiresRefresh: Bool { get }
}

/// Authenticates requests with a type of credential, and refreshes the credential.
///
/// Its functions may be called on any thread.
@preconcurrency public protocol Authenticator: AnyObject, Sendable {
  /// The type of credential.
  associatedtype Credential: AuthenticationCredential

  /// Adds a credential to a request.
  ///
  /// - Parameters:
  ///   - credential: the credential.
  ///   - urlRequest: the request.
  func apply(_ credential: Credential, to urlRequest: inout URLRequest)

  /// Refreshes a credential.
  ///
  /// It must not wait for a request of a provider that uses this authenticator: such a request waits for the
  /// refresh.
  ///
  /// - Parameters:
  ///   - credential: the credential to refresh.
  ///   - session: the session that carries the requests.
  ///   - completion: receives the new credential or an error. Dropping it without calling it counts as a
  ///     failure.
  func refresh(
    _ credential: Credential, for session: Session,
    completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)

  /// Returns whether a request failed because the server rejected its credential, usually with status 401.
  ///
  /// - Parameters:
  ///   - urlRequest: the request as it was sent.
  ///   - response: the response.
  ///   - error: the error of the request.
  /// - Returns: `true` if the server rejected the credential.
  func didRequest(
    _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
  ) -> Bool

  /// Returns whether a request was sent with exactly this credential, and not with an older one.
  ///
  /// - Parameters:
  ///   - urlRequest: the request as it was sent.
  ///   - credential: the current credential.
  /// - Returns: `true` if the request carries this credential.
  func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}

/// The reason why a request could not be authenticated.
public enum AuthenticationError: Error, Sendable, Hashable {
  /// The interceptor has no credential.
  case missingCredential
  /// The credential was refreshed too often within the refresh window.
  case excessiveRefresh
}

extension AuthenticationError: LocalizedError {
  /// A one-line description of the error and of the remedy.
  public var errorDescription: String? {
    switch self {
    case .missingCredential:
      "The request could not be authenticated because no credential is set. Set one, for instance at login."
    case .excessiveRefresh:
      "The credential was refreshed too often within the refresh window. Check why new credentials expire or "
        + "are refused."
    }
  }
}

/// The authenticator dropped its completion without calling it.
struct DroppedRefreshError: LocalizedError {
  var errorDescription: String? {
    "The authenticator dropped the completion of its refresh without calling it. Call it exactly once."
  }
}
