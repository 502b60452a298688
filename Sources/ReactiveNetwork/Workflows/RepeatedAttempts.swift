import NetworkCore
import ReactiveNetworkLock
import RxLite

/// The attempts of a retry, which must not repeat certain requests.
///
/// A retry subscribes again, which repeats the requests of the subscription itself. Those of a shared
/// sequence that it has joined are repeated only if it has to start that sequence again. An attempt that
/// would do so ends with the error of the previous one.
final class RepeatedAttempts: SubscriptionRule {
  private struct State {
    /// The record of the current attempt.
    var sent = EffectRecord()
    /// The error of the previous attempt.
    var error: (any Error)?
    var isRefused = false
  }

  private let events = RetriedEvents()
  private let methods: Set<HTTPMethod>
  private let requests = RelatedRequests()
  private let state = Lock(State())

  /// Creates the rule of a retry.
  ///
  /// - Parameter methods: the methods of the requests that may be repeated.
  init(of methods: Set<HTTPMethod>) { self.methods = methods }

  /// Begins an attempt, and returns the context of its source.
  ///
  /// - Parameter outer: the context of the observer.
  /// - Returns: the context.
  func begin(within outer: SubscriptionContext?) -> SubscriptionContext {
    let sent = state.withLock { state in
      state.sent = EffectRecord(after: state.sent)
      return state.sent
    }
    let related = SubscriptionContext(RelatedStart(start: requests.start(as: .retry)), within: outer)
    let continued = SubscriptionContext(events, within: SubscriptionContext(sent, within: related))
    return SubscriptionContext(self, within: continued)
  }

  /// Ends the attempt: it sends nothing more.
  ///
  /// Called when its error arrives. The decision about another attempt may come later, on the thread that still
  /// subscribes to this one.
  func end() {
    events.attemptFailed()
    state.withLock { $0.sent }.close()
  }

  /// Returns whether another attempt may follow after the error of the one that has ended.
  ///
  /// A request that provably was not sent counts for no method.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - ifUnknown: the result if neither the attempt nor the error names a request.
  /// - Returns: whether the attempt may follow.
  func allowsAnother(after error: any Error, ifUnknown: Bool) -> Bool {
    let (record, isRefused) = state.withLock { ($0.sent, $0.isRefused) }
    if isRefused { return false }
    var sent = record.own.methods
    if let method = (error as? NetworkError)?.requestMethod { sent.insert(method) }
    return sent.isEmpty && record.isEmpty ? ifUnknown : sent.isSubset(of: methods)
  }

  /// Notes that another attempt follows.
  func willRepeat(after error: any Error) { state.withLock { $0.error = error } }

  func ruleForSharedSource(isForeign: Bool) throws -> (any SubscriptionRule)? {
    guard !state.withLock({ $0.sent }).shared.methods.isSubset(of: methods) else { return nil }
    let error = state.withLock { state in
      state.isRefused = state.error != nil
      return state.error
    }
    if let error { throw error }
    return nil
  }
}

extension Set<String> {
  /// The methods of the requests among the effects of a subscription.
  var methods: Set<HTTPMethod> { Set<HTTPMethod>(map(HTTPMethod.init(rawValue:))) }
}

extension NetworkError {
  /// The method of the request whose response the error contains; `nil` if there is none.
  fileprivate var requestMethod: HTTPMethod? {
    response?.request?.httpMethod.map(HTTPMethod.init(rawValue:))
  }
}
