import Foundation
import Locking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the plugins see of a request that is about to be sent, and what they ask for it.
final class PreparedRequest: RequestType {
  private struct Basic {
    var field: HTTPHeader?
  }

  let request: URLRequest?
  private let headers: @Sendable () -> [String: String]
  private let basic = Lock(Basic())

  init(request: URLRequest, sessionHeaders: @escaping @autoclosure @Sendable () -> [String: String]) {
    self.request = request
    self.headers = sessionHeaders
  }

  var sessionHeaders: [String: String] { headers() }

  func authenticate(with credential: URLCredential) -> Self {
    if let user = credential.user, let password = credential.password {
      basic.withLock { $0.field = .authorization(username: user, password: password) }
    }
    return self
  }

  /// The request with the credential that a plugin gave.
  func authenticated(_ request: URLRequest) -> URLRequest {
    guard let field = basic.withLock({ $0.field }), request.value(forHTTPHeaderField: field.name) == nil
    else {
      return request
    }
    var request = request
    request.setValue(field.value, forHTTPHeaderField: field.name)
    return request
  }
}
