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

  private struct Start: Sendable {
    let copies: RequestCopies
    let role: Role
    /// Whether a request has been started; one that a callback of it starts is not a copy.
    let isTaken = TakenMark()
  }

  private final class TakenMark: Sendable {
    private let isTaken = Lock(false)

    func take() -> Bool {
      isTaken.withLock { isTaken in
        defer { isTaken = true }
        return !isTaken
      }
    }
  }

  @TaskLocal private static var start: Start?

  private let first = Lock<RequestID?>(nil)

  /// Creates the relation of the requests of one call.
  package init() {}

  /// Starts a request.
  ///
  /// - Parameters:
  ///   - role: the reason if it is not the first request.
  ///   - body: starts one request before it returns.
  /// - Returns: the result of `body`.
  package func run<Result>(as role: Role, _ body: () throws -> Result) rethrows -> Result {
    try Self.$start.withValue(Start(copies: self, role: role), operation: body)
  }

  /// Returns the cause of a request that starts on this thread.
  static func cause(of id: RequestID) -> RequestEvent.Cause {
    guard let start, start.isTaken.take() else { return .call }
    return start.copies.first.withLock { first in
      guard let first else {
        first = id
        return .call
      }
      return start.role == .hedge ? .hedge(of: first) : .retry(of: first)
    }
  }
}
