import Foundation
import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request that is about to be sent, as plugins see it, and the credential that they set.
final class PreparedRequest: RequestType {
  let request: URLRequest?
  private let headers: @Sendable () -> [String: String]
  /// The credential that a plugin set last.
  private let pluginCredential = Lock<CurlConfiguration.Credential?>(nil)

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
    pluginCredential.withLock { pluginCredential in
      pluginCredential =
        switch scheme {
        case .basic: .basic(user: user, password: password)
        case .digest: .digest(user: user, password: password)
        }
    }
    return self
  }

  /// Adds a Basic credential to the request, and returns any other one for the transport to use.
  func authenticate(_ request: inout URLRequest) -> CurlConfiguration.Credential? {
    guard let credential = pluginCredential.withLock({ $0 }),
      request.value(forHTTPHeaderField: "Authorization") == nil
    else { return nil }
    guard case .basic(let user, let password) = credential else { return credential }
    let field = HTTPHeader.authorization(username: user, password: password)
    request.setField(field.name, to: field.value)
    return nil
  }
}
