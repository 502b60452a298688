import Foundation
import NetworkCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Refreshes at once, to the token "new", if the status is 401.
final class ImmediateAuthenticator: Authenticator {
  struct Token: AuthenticationCredential {
    var value: String
    var requiresRefresh = false
  }

  func apply(_ credential: Token, to urlRequest: inout URLRequest) {
    urlRequest.setValue("Bearer \(credential.value)", forHTTPHeaderField: "Authorization")
  }

  func refresh(
    _ credential: Token, for session: Session,
    completion: @escaping @Sendable (Result<Token, any Error>) -> Void
  ) { completion(.success(Token(value: "new"))) }

  func didRequest(
    _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
  ) -> Bool { response.statusCode == 401 }

  func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
    urlRequest.value(forHTTPHeaderField: "Authorization") == "Bearer \(credential.value)"
  }
}
