internal import Locking

/// Relates the requests that an operator starts for one call, so that observers see hedges and retries as
/// such.
///
/// Each start, the first one included, runs inside `run(as:_:)`.
package final class RequestCopies: Sendable {
  /// The reason for a request that is not the first one.
  package enum Role: Sendable {
    case hedge
    case retry
  }

  fileprivate struct Start: Sendable {
    let copies: RequestCopies
    let role: Role
    /// The start around this one, such as that of a retry around a hedge.
    let outer: [Start]
    /// Whether a request has been started; one that a callback of it starts is not a copy.
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

  /// Creates the relation of the requests of one call.
  package init() {}

  /// Starts a request.
  ///
  /// - Parameters:
  ///   - role: the reason if it is not the first request.
  ///   - body: starts one request before it returns.
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
  /// The first request of an inner call is what the outer call says of it: the retry of an earlier one, perhaps.
  fileprivate func cause(of id: RequestID) -> RequestEvent.Cause {
    let first = copies.first.withLock { first -> RequestID? in
      defer { first = first ?? id }
      return first
    }
    guard let first else { return outer.first { $0.isTaken.take() }?.cause(of: id) ?? .call }
    return role == .hedge ? .hedge(of: first) : .retry(of: first)
  }
}
