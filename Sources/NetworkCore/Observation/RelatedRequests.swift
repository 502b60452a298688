internal import ReactiveNetworkLock

/// Relates the requests that an operator starts for one call, so that observers can recognize hedges and
/// retries.
///
/// The operator starts each request, the first one included, inside `run(as:_:)`.
package final class RelatedRequests: Sendable {
  /// The reason for each request after the first one.
  package enum Role: Sendable {
    case hedge
    case retry
  }

  fileprivate struct Start: Sendable {
    let relatedRequests: RelatedRequests
    let role: Role
    /// The start around this one, such as that of a retry around a hedge.
    let outer: [Start]
    /// Whether a request has started; a request that its callbacks start is not related.
    let hasStarted = OneTimeFlag()
  }

  /// A flag that is set once.
  fileprivate final class OneTimeFlag: Sendable {
    private let isSet = Lock(false)

    /// Sets the flag; returns `true` the first time.
    func set() -> Bool {
      isSet.withLock { isSet in
        defer { isSet = true }
        return !isSet
      }
    }
  }

  @TaskLocal private static var start: Start?

  fileprivate let first = Lock<RequestID?>(nil)

  /// Creates a relation for the requests of one call.
  package init() {}

  /// Starts a request.
  ///
  /// - Parameters:
  ///   - role: the reason for the request; ignored for the first one.
  ///   - body: starts one request, before it returns.
  /// - Returns: the result of `body`.
  package func run<Result>(as role: Role, _ body: () throws -> Result) rethrows -> Result {
    let start = Start(relatedRequests: self, role: role, outer: Self.start.map { [$0] } ?? [])
    return try Self.$start.withValue(start, operation: body)
  }

  /// Returns the cause of a request that starts on this thread.
  static func cause(of id: RequestID) -> RequestEvent.Cause {
    guard let start, start.hasStarted.set() else { return .call }
    return start.cause(of: id)
  }
}

extension RelatedRequests.Start {
  /// Returns the cause of a request.
  ///
  /// For the first request of an inner call, the outer call determines it: the request may be the retry of an
  /// earlier one.
  fileprivate func cause(of id: RequestID) -> RequestEvent.Cause {
    let first = relatedRequests.first.withLock { first -> RequestID? in
      defer { first = first ?? id }
      return first
    }
    guard let first else { return outer.first { $0.hasStarted.set() }?.cause(of: id) ?? .call }
    return role == .hedge ? .hedge(of: first) : .retry(of: first)
  }
}
