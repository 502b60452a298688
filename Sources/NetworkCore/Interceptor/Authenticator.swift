public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// What proves who makes a request, for instance a pair of OAuth tokens.
@preconcurrency public protocol AuthenticationCredential: Sendable {
  /// Whether it has to be renewed before it is used, for instance because it expires within minutes.
  var requiresRefresh: Bool { get }
}

/// How requests are authenticated with a kind of credential, and how that is renewed.
///
/// Its functions are called on any thread.
@preconcurrency public protocol Authenticator: AnyObject, Sendable {
  /// The kind of credential.
  associatedtype Credential: AuthenticationCredential

  /// Puts a credential into a request.
  ///
  /// - Parameters:
  ///   - credential: the credential.
  ///   - urlRequest: the request.
  func apply(_ credential: Credential, to urlRequest: inout URLRequest)

  /// Renews a credential.
  ///
  /// It must not wait for a request of a provider that this authenticator serves; such a request fails with `RefreshCycleError` where
  /// it is made before this returns, or in a task that this starts.
  ///
  /// - Parameters:
  ///   - credential: the one to renew.
  ///   - session: what carries the requests.
  ///   - completion: gets the new one, or why there is none; one that is let go of without a call has failed.
  func refresh(
    _ credential: Credential, for session: Session,
    completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)

  /// Whether a request failed since the server does not accept its credential, mostly: whether the status is 401.
  ///
  /// - Parameters:
  ///   - urlRequest: the request as it was sent.
  ///   - response: the answer.
  ///   - error: why it failed.
  /// - Returns: whether it did.
  func didRequest(
    _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
  ) -> Bool

  /// Whether a request was sent with this very credential, rather than with one that has been renewed since.
  ///
  /// - Parameters:
  ///   - urlRequest: the request as it was sent.
  ///   - credential: the present credential.
  /// - Returns: whether it was.
  func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}

/// Why a request could not be authenticated.
public enum AuthenticationError: Error, Sendable, Hashable {
  /// The interceptor has no credential.
  case missingCredential
  /// The credential was renewed too often within the refresh window.
  case excessiveRefresh
}

extension AuthenticationError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? {
    switch self {
    case .missingCredential: "There is no credential to send the request with."
    case .excessiveRefresh: "The credential was renewed again and again, and the server did not accept it."
    }
  }
}

/// The authenticator let go of its closure without calling it.
struct UnansweredRefresh: LocalizedError {
  var errorDescription: String? { "The authenticator let go of its closure without renewing the credential." }
}
