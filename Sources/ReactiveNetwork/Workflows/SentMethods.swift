import Locking
import NetworkCore
import RxLite

#if canImport(FoundationNetworking)
  import FoundationNetworking
#else
  import Foundation
#endif

/// The methods of the requests that a subscription has sent, for a retry that must not repeat all of them.
///
/// An error says which request it ends if it has a response; the transport's errors have none. So a request notes its method in the
/// subscription that sends it, and while it delivers its error. The second is exact, and lost where the error changes threads.
final class SentMethods: Sendable {
  @TaskLocal private static var current: SentMethods?
  @TaskLocal private static var failed: HTTPMethod?

  private let methods = Lock<Set<HTTPMethod>>([])

  /// Notes the method of a request that a subscription sends.
  static func note(_ method: @autoclosure () -> HTTPMethod) {
    guard let current else { return }
    let method = method()
    current.methods.withLock { _ = $0.insert(method) }
  }

  /// Runs what delivers the error of a request.
  static func deliver(failureOf method: HTTPMethod, _ delivery: () -> Void) {
    $failed.withValue(method) { delivery() }
  }

  /// The source, noting what each subscription to it sends.
  func noting<Element>(_ source: Observable<Element>) -> Observable<Element> {
    Observable.create { observer in
      self.methods.withLock { $0 = [] }
      return Self.$current.withValue(self) { Self.$failed.withValue(nil) { source.subscribe(observer) } }
    }
  }

  /// Whether the request that an error ends may be repeated; `true` if no request is known.
  func allowRepeating(after error: any Error, _ methods: Set<HTTPMethod>) -> Bool {
    let answered = (error as? NetworkError)?.response?.request?.httpMethod.map(HTTPMethod.init(rawValue:))
    if let method = answered ?? Self.failed { return methods.contains(method) }
    return self.methods.withLock { $0 }.isSubset(of: methods)
  }
}
