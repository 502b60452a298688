import ReactiveNetworkLock
import NetworkCore
import RxLite

/// The requests that a subscription has sent, for an operator that may send all of them again.
///
/// The operator adds the record to the context of its subscription, where each request upstream finds it. The
/// requests that an observer or another closure of the user subscribes to have no part in that context, and
/// neither have those of a shared sequence.
final class SentRequests: Sendable {
  private let methods = Lock<Set<HTTPMethod>>([])
  private let isAllowed: @Sendable (HTTPMethod) -> Bool

  /// Creates a record.
  ///
  /// - Parameter isAllowed: decides about each request before it is sent. A refused request is not sent and
  ///   reports nothing, so the closure must see to the end of the subscription.
  init(isAllowed: @escaping @Sendable (HTTPMethod) -> Bool = { _ in true }) {
    self.isAllowed = isAllowed
  }

  /// The methods of the requests; empty if no request is known.
  var known: Set<HTTPMethod> { methods.withLock { $0 } }

  /// Records a request that is about to be sent; returns `false` if it must not be sent.
  func add(_ method: HTTPMethod) -> Bool {
    guard isAllowed(method) else { return false }
    methods.withLock { _ = $0.insert(method) }
    return true
  }

  /// Forgets the requests of the previous attempt.
  func removeAll() { methods.withLock { $0 = [] } }

  /// Whether all requests that a retry after `error` would repeat have certain methods; `nil` if neither the
  /// record nor the error names a request.
  func allowRepeating(after error: any Error, _ methods: Set<HTTPMethod>) -> Bool? {
    var sent = known
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
