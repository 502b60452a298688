extension TransportContract {
  /// One promise of a transport, and the program that checks it.
  ///
  /// In each check, the events of nearly every transfer are checked as well: one at a time, in order, exactly one
  /// end, and nothing after it.
  public struct Check: Sendable, Hashable, CustomStringConvertible {
    /// The part of the contract that a check belongs to.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
      /// The events of responses.
      case responses
      /// Ends with an error.
      case failures
      /// Cancelled transfers.
      case cancellation
      /// Paused transfers; run only if the transport states `pausesTransfers`.
      case pausing
      /// Limits for the size of a response, and for idle time.
      case limits
      /// Redirects that the transport follows.
      case redirects
      /// Methods, fields and bodies in memory as they are sent.
      case requests
      /// Bodies from files and streams.
      case streams
      /// Requests that must not be sent.
      case refusals
      /// Connections that switch to another protocol; run only if the transport states `upgradesConnections`.
      case upgrades
      /// Credentials that are sent, and those that the transport states.
      case credentials
      /// Gauges and default fields.
      case capabilities
      /// The threads of handlers and of callers.
      case threads
      /// What is released at the end of a transfer, and with the transport.
      case release
    }

    /// The part of the contract that the check belongs to.
    public let subject: Subject
    /// The promise, as a clause.
    public let name: String
    let action: @Sendable (CheckRun) async throws -> Void

    init(
      _ subject: Subject, _ name: String, _ action: @escaping @Sendable (CheckRun) async throws -> Void
    ) {
      self.subject = subject
      self.name = name
      self.action = action
    }

    /// All checks.
    public static let all: [Check] =
      responses + failures + cancellation + pausing + limits + redirects + requests + streams + refusals
      + upgrades + credentials + capabilities + threads + release

    /// The name.
    public var description: String { name }

    /// Whether both have the same name.
    public static func == (first: Check, second: Check) -> Bool { first.name == second.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}
