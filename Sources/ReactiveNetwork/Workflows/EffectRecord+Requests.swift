import NetworkCore
import RxLite

extension EffectRecord {
  /// The methods of the requests that the subscription has sent; empty if no request is known.
  var methods: Set<HTTPMethod> { Set(all.map(HTTPMethod.init(rawValue:))) }

  /// Whether all requests that a retry after `error` would repeat have certain methods; `nil` if neither the
  /// record nor the error names a request.
  func allowsRepeating(after error: any Error, _ methods: Set<HTTPMethod>) -> Bool? {
    var sent = self.methods
    if let method = (error as? NetworkError)?.requestMethod { sent.insert(method) }
    return sent.isEmpty ? nil : sent.isSubset(of: methods)
  }
}

extension NetworkError {
  /// The method of the request whose response the error contains; `nil` if there is none.
  fileprivate var requestMethod: HTTPMethod? {
    response?.request?.httpMethod.map(HTTPMethod.init(rawValue:))
  }
}
