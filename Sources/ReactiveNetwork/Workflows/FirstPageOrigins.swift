import Foundation
import ReactiveNetworkLock
import NetworkCore
import RxLite

/// The origins of the requests of a first page; requests of further pages must go to one of them.
final class FirstPageOrigins: RequestRule {
  private struct State {
    /// The origins, in the order of their first requests.
    var known: [String] = []
    /// Whether the first page has been delivered.
    var isComplete = false
  }

  private let state = Lock(State())

  func check(_ method: HTTPMethod, _ origin: () -> String) throws(PaginationError) {
    let origin = origin()
    let error = state.withLock { state -> PaginationError? in
      if state.known.contains(origin) { return nil }
      guard state.isComplete else {
        state.known.append(origin)
        return nil
      }
      return state.known.first.map { .otherOrigin(origin, first: $0) } ?? .unknownFirstOrigin(origin)
    }
    if let error { throw error }
  }

  func ruleForSharedSource(isForeign: Bool) throws -> (any SubscriptionRule)? {
    if isForeign, state.withLock({ $0.isComplete }) { throw PaginationError.uncheckedRequests }
    return self
  }

  /// Ends the first page; has no effect on later pages.
  ///
  /// If no request of the page was seen, because a cache had the response, the response names its request.
  func complete(with element: Any) {
    let origin = (element as? Response)?.request?.url.map(Origin.text)
    state.withLock { state in
      if !state.isComplete, state.known.isEmpty, let origin { state.known = [origin] }
      state.isComplete = true
    }
  }

  /// Removes the origins of the first page.
  func reset() { state.withLock { $0 = State() } }
}
