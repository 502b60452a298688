internal import ReactiveNetworkLock

/// Relates the requests that an operator starts for one call, so that observers can recognize hedges and
/// retries.
///
/// The operator puts a start for each request, the first one included, into the context of its subscription, so it
/// does not matter when and on which thread the request starts.
package final class RelatedRequests: Sendable {
  /// The reason for each request after the first one.
  package enum Role: Sendable {
    case hedge
    case retry
  }

  /// The start of one of the requests.
  package struct Start: Sendable {
    fileprivate let relatedRequests: RelatedRequests
    fileprivate let role: Role
    /// Whether a request has started; a request that its callbacks start is not related.
    fileprivate let hasStarted = OneTimeFlag()
  }

  /// A flag that is set once.
  fileprivate final class OneTimeFlag: Sendable {
    private let isSet = Lock(false)

    /// Sets the flag; returns `true` the first time.
    func set() -> Bool {
      isSet.withLock { !exchange(&$0, with: true) }
    }
  }

  /// The starts of the request that begins on this thread, only for the call of the provider.
  @TaskLocal private static var starts: [Start] = []

  fileprivate let first = Lock<RequestID?>(nil)

  /// Creates a relation for the requests of one call.
  package init() {}

  /// Returns the start of a request.
  ///
  /// - Parameter role: the reason for the request; ignored for the first one.
  /// - Returns: a start for one subscription.
  package func start(as role: Role) -> Start { Start(relatedRequests: self, role: role) }

  /// Starts a request.
  ///
  /// - Parameters:
  ///   - starts: what the operators around the request know of it, beginning with the innermost one.
  ///   - body: starts the request, before it returns.
  /// - Returns: the result of `body`.
  package static func run<Result>(_ starts: [Start], _ body: () throws -> Result) rethrows -> Result {
    starts.isEmpty ? try body() : try $starts.withValue(starts, operation: body)
  }

  /// Returns the cause of a request that starts on this thread.
  ///
  /// For the first request of an inner call, the outer call determines it: the request may be the retry of an
  /// earlier one.
  static func cause(of id: RequestID) -> RequestEvent.Cause {
    for start in starts {
      guard start.hasStarted.set() else { break }
      if let cause = start.cause(of: id) { return cause }
    }
    return .call
  }
}

extension RelatedRequests.Start {
  /// Returns the cause of a request; `nil` if it is the first one.
  fileprivate func cause(of id: RequestID) -> RequestEvent.Cause? {
    let first = relatedRequests.first.withLock { first -> RequestID? in
      defer { first = first ?? id }
      return first
    }
    guard let first else { return nil }
    return role == .hedge ? .hedge(of: first) : .retry(of: first)
  }
}
