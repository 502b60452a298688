public import NetworkCoreTransport

/// Checks whether a transport keeps the contract of `Transport`, on a real server.
///
/// ```swift
/// let contract = TransportContract { MyTransport() }
/// for violation in await contract.violations() { print(violation) }
/// ```
///
/// It depends on no testing library: in a test, expect that `violations()` is empty. Each check has a
/// `LoopbackServer` and transports of its own. Use it for a layer as well, around a transport that keeps the
/// contract. Leave out the checks of what a transport does not support, and document that:
///
/// ```swift
/// let checks = TransportContract.Check.all.filter { $0.subject != .redirects }
/// let contract = TransportContract(checks: checks) { MyTransport() }
/// ```
public struct TransportContract: Sendable {
  /// A check that a transport has failed.
  public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// The check.
    public let check: Check
    /// What happened, and what was expected.
    public let reason: String

    /// The name of the check and the reason, in one line.
    public var description: String { "\(check.name): \(reason)" }
  }

  private static let concurrency = 4

  /// The checks to run.
  public let checks: [Check]
  private let patience: Duration
  private let makeTransport: @Sendable () throws -> any Transport

  /// Creates a contract.
  ///
  /// - Parameters:
  ///   - checks: the checks to run.
  ///   - patience: the longest time to wait for an event, after which the check has failed. It only bounds a
  ///     hang: no check measures a time.
  ///   - makeTransport: makes a new transport, without responses of an earlier one.
  public init(
    checks: [Check] = Check.all, patience: Duration = .seconds(30),
    makeTransport: @escaping @Sendable () throws -> any Transport
  ) {
    self.checks = checks
    self.patience = patience
    self.makeTransport = makeTransport
  }

  /// Runs the checks, a few at a time.
  ///
  /// - Returns: what was violated, in the order of the checks; empty if the transport keeps the contract.
  public func violations() async -> [Violation] {
    await withTaskGroup(of: (Int, [Violation]).self) { group in
      var found: [(Int, [Violation])] = []
      for (index, check) in checks.enumerated() {
        if index >= Self.concurrency, let next = await group.next() { found.append(next) }
        group.addTask { (index, await violations(of: check)) }
      }
      for await next in group { found.append(next) }
      return found.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }
  }

  private func violations(of check: Check) async -> [Violation] {
    do {
      let run = try CheckRun(patience: patience, makeTransport: makeTransport)
      do {
        try await check.action(run)
      } catch {
        run.note("\(error)")
      }
      return await run.finish().map { Violation(check: check, reason: $0) }
    } catch {
      return [Violation(check: check, reason: "no server: \(error)")]
    }
  }
}
