import ReactiveNetworkLock
import NetworkCore
import RxLite

#if canImport(FoundationNetworking)
  import FoundationNetworking
#else
  import Foundation
#endif

/// The methods of the requests that a subscription has sent, for a retry that must not repeat all of them.
///
/// An error names its request only if it has a response; errors of the transport have none. So each request
/// records its method in the subscription that sends it. Requests that are sent during the delivery of an
/// event of another request belong to the same subscription. A request after a change of threads is not
/// recorded; its error still reveals its method if the error arrives on the delivering thread.
final class SentHTTPMethods: Sendable {
  @TaskLocal private static var current: SentHTTPMethods?
  @TaskLocal private static var failed: HTTPMethod?

  private let methods = Lock<Set<HTTPMethod>>([])
  /// The methods for an enclosing retry, which repeats these requests too.
  private let outer = SentHTTPMethods.current

  /// Records the method of a request; returns the subscription that sends it, to be passed to `deliver`.
  static func record(_ method: @autoclosure () -> HTTPMethod) -> SentHTTPMethods? {
    guard let current else { return nil }
    current.insert(method())
    return current
  }

  /// Delivers an event of a request.
  static func deliver(to sender: SentHTTPMethods?, _ delivery: () -> Void) {
    guard let sender else { return delivery() }
    $current.withValue(sender) { delivery() }
  }

  /// Delivers the error of a request.
  static func deliver(failureOf method: HTTPMethod, to sender: SentHTTPMethods?, _ delivery: () -> Void) {
    $failed.withValue(method) { deliver(to: sender, delivery) }
  }

  private func insert(_ method: HTTPMethod) {
    methods.withLock { _ = $0.insert(method) }
    outer?.insert(method)
  }

  /// Returns the source, whose subscriptions record the requests that they send.
  func recording<Element>(_ source: Observable<Element>) -> Observable<Element> {
    Observable.creating { observer in
      self.methods.withLock { $0 = [] }
      return Self.$current.withValue(self) {
        Self.$failed.withValue(nil) {
          // Requests that the observer sends are repeated by an enclosing retry, not by this one.
          source.subscribe(
            AnyObserver.calling { event in Self.$current.withValue(self.outer) { observer.on(event) } })
        }
      }
    }
  }

  /// Whether all known requests that a retry after `error` would repeat have one of the methods.
  func allowRepeating(after error: any Error, _ methods: Set<HTTPMethod>) -> Bool {
    let responseMethod = (error as? NetworkError)?.response?.request?.httpMethod.map(
      HTTPMethod.init(rawValue:))
    if let method = responseMethod ?? Self.failed, !methods.contains(method) { return false }
    return self.methods.withLock { $0 }.isSubset(of: methods)
  }

  /// Whether all requests that have been sent have one of the methods, as far as they are known.
  func allow(_ methods: Set<HTTPMethod>) -> Bool { self.methods.withLock { $0.isSubset(of: methods) } }
}
