import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the plugins see of a request that is about to be sent, and what they ask for it.
final class PreparedRequest: RequestType {
  let request: URLRequest?
  private let headers: @Sendable () -> [String: String]
  private let given = Lock<CurlConfiguration.Credential?>(nil)

  init(request: URLRequest, sessionHeaders: @escaping @autoclosure @Sendable () -> [String: String]) {
    self.request = request
    self.headers = sessionHeaders
  }

  var sessionHeaders: [String: String] { headers() }

  func authenticate(with credential: URLCredential) -> Self {
    authenticate(with: credential, scheme: .basic)
  }

  func authenticate(with credential: URLCredential, scheme: AuthenticationScheme) -> Self {
    guard let user = credential.user, let password = credential.password else { return self }
    given.withLock { given in
      given =
        switch scheme {
        case .basic: .basic(user: user, password: password)
        case .digest: .digest(user: user, password: password)
        }
    }
    return self
  }

  /// Puts the credential that a plugin gave into the request, or gives it back for the transport to answer with.
  func authenticate(_ request: inout URLRequest) -> CurlConfiguration.Credential? {
    guard let credential = given.withLock({ $0 }), request.value(forHTTPHeaderField: "Authorization") == nil
    else { return nil }
    guard case .basic(let user, let password) = credential else { return credential }
    let field = HTTPHeader.authorization(username: user, password: password)
    request.setField(field.name, to: field.value)
    return nil
  }
}
