import ReactiveNetworkLock
import NetworkCore
import RxLite

/// The origins of the requests of a first page; requests of further pages must go to one of them.
final class FirstPageOrigins: Sendable {
  /// A page of a pagination, in the context of the subscription to it.
  struct Page: Sendable {
    let origins: FirstPageOrigins
    let isFirst: Bool

    /// Checks the origin of a request of the page before it is sent.
    func check(_ origin: String) throws(PaginationError) {
      try origins.check(origin, isFirst: isFirst)
    }
  }

  /// The origins, in the order of their first requests.
  private let known = Lock<[String]>([])

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
}
