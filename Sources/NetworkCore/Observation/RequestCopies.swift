internal import ReactiveNetworkLock

/// Relates the requests that an operator starts for one call, so that observers can recognize hedges and
/// retries.
///
/// The operator starts each request, the first one included, inside `run(as:_:)`.
package final class RequestCopies: Sendable {
  /// The reason for each request after the first one.
  package enum Role: Sendable {
    case hedge
    case retry
  }

  fileprivate struct Start: Sendable {
    let copies: RequestCopies
    let role: Role
    /// The start around this one, such as that of a retry around a hedge.
    let outer: [Start]
    /// Whether a request has started; a request that its callbacks start is not a copy.
    let isTaken = TakenMark()
  }

  fileprivate final class TakenMark: Sendable {
    private let isTaken = Lock(false)

    func take() -> Bool {
      isTaken.withLock { isTaken in
        defer { isTaken = true }
        return !isTaken
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
    let start = Start(copies: self, role: role, outer: Self.start.map { [$0] } ?? [])
    return try Self.$start.withValue(start, operation: body)
  }

  /// Returns the cause of a request that starts on this thread.
  static func cause(of id: RequestID) -> RequestEvent.Cause {
    guard let start, start.isTaken.take() else { return .call }
    return start.cause(of: id)
  }
}

extension RequestCopies.Start {
  /// Returns the cause of a request.
  ///
  /// For the first request of an inner call, the outer call determines it: the request may be the retry of an
  /// earlier one.
  fileprivate func cause(of id: RequestID) -> RequestEvent.Cause {
    let first = copies.first.withLock { first -> RequestID? in
      defer { first = first ?? id }
      return first
    }
    guard let first else { return outer.first { $0.isTaken.take() }?.cause(of: id) ?? .call }
    return role == .hedge ? .hedge(of: first) : .retry(of: first)
  }
}
