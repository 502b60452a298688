import ReactiveNetworkLock
import NetworkCore
import RxLite

/// The origins of the requests of a first page; requests of further pages must go to one of them.
///
/// A request of `provider.rx` checks its origin if it is subscribed to within the subscription to a page.
/// Requests that are sent during the delivery of an event of another request belong to the same page.
/// Requests after a change of threads are not recognized.
final class FirstPageOrigins: Sendable {
  /// The page that is being subscribed to.
  struct Page: Sendable {
    let origins: FirstPageOrigins
    let isFirst: Bool
    /// The pages of enclosing paginations, whose rule applies as well.
    let outer: [Page]
  }

  @TaskLocal private static var current: Page?

  /// The origins, in the order of their first requests.
  private let known = Lock<[String]>([])

  /// Checks the origin of a request before it is sent; returns the page that sends it, to be passed to
  /// `deliver`.
  static func check(_ origin: @autoclosure () -> String) throws(PaginationError) -> Page? {
    guard let current else { return nil }
    let origin = origin()
    for page in [current] + current.outer { try page.origins.check(origin, isFirst: page.isFirst) }
    return current
  }

  /// Delivers an event of a request.
  static func deliver(to page: Page?, _ delivery: () -> Void) {
    guard let page else { return delivery() }
    $current.withValue(page) { delivery() }
  }

  private func check(_ origin: String, isFirst: Bool) throws(PaginationError) {
    let first = known.withLock { known -> String? in
      guard let first = known.first, !isFirst else {
        if !known.contains(origin) { known.append(origin) }
        return nil
      }
      return known.contains(origin) ? nil : first
    }
    if let first { throw .otherOrigin(origin, first: first) }
  }

  /// Removes the origins of the first page.
  func reset() { known.withLock { $0 = [] } }

  /// Returns the source as a page, so that its requests are checked.
  func checkingRequests<Element>(_ source: Observable<Element>, isFirst: Bool) -> Observable<Element> {
    Observable.creating { observer in
      let outer = Self.current
      let page = Page(origins: self, isFirst: isFirst, outer: outer.map { [$0] + $0.outer } ?? [])
      return Self.$current.withValue(page) {
        // Requests that the observer sends do not belong to the page.
        source.subscribe(
          AnyObserver.calling { event in Self.$current.withValue(outer) { observer.on(event) } })
      }
    }
  }
}
