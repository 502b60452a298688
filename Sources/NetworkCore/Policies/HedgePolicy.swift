package import Foundation
import ReactiveNetworkLock

/// Sends a second copy of a request whose response is late, and uses the response that arrives first.
///
/// ```swift
/// let hedge = HedgePolicy(
///   after: .percentile(95, initially: .milliseconds(200)), budget: RetryBudget(ratio: 0.1))
/// let transport = try CurlTransport().hedged(hedge)
/// ```
///
/// It shortens the longest waits for a service that is occasionally slow: with a percentile of 95, one
/// request in twenty is sent twice, and only one in four hundred is slow both times. It does not help if all
/// requests are slow; the budget then stops the second copies. Once one copy has a response, the other is
/// cancelled.
///
/// `hedged(_:)` of ReactiveNetwork and `hedged(_:)` of transports use it. Only idempotent requests are sent
/// twice unless you name other methods. Use one policy for requests that take about the same time, because
/// they share the percentile. A policy may be used from any thread.
///
/// The idea is that of "hedged requests" in Jeffrey Dean and Luiz André Barroso, *The Tail at Scale* (2013).
public final class HedgePolicy: Sendable {
  /// The time at which the second copy is sent.
  public enum Delay: Sendable, Hashable {
    /// After a time without a response; a negative one counts as 0, and one of centuries means never.
    case fixed(Duration)
    /// After a percentile, from 0 to 100, of the response times of the latest 1,000 requests of the last `within`,
    /// five minutes by default, so that yesterday's server does not decide. Until there are 20 response times, and
    /// again when they are too old, the delay is `initially`, as for `fixed`. A percentile outside its range counts as the
    /// nearest end, and NaN as 100; a negative `within` counts as 0.
    ///
    /// Finagle's backup requests take a percentile of a sliding window too. The time that a first copy waits for
    /// a place in a `ConcurrencyLimit` belongs neither to the delay nor to the response time: the server has not
    /// seen the request, and a second copy would only wait too.
    ///
    /// The response times of first copies count. If the second copy overtakes the first one, the time until
    /// then counts instead, because the first copy would have taken longer. Failed and cancelled requests do
    /// not count.
    case percentile(Double, initially: Duration, within: Duration = .seconds(300))
  }

  private static let sampleLimit = 1_000
  private static let smallestSample = 20

  /// The time at which the second copy is sent.
  public let delay: Delay
  /// The budget that bounds the second copies: each request deposits, and each second copy withdraws.
  public let budget: RetryBudget
  /// The methods of the requests that may be sent twice.
  public let hedgeableHTTPMethods: Set<HTTPMethod>
  /// Whether `hedged(_:)` of a single subscribes a second time if it knows no request of the first copy.
  public let hedgesUnknownRequests: Bool
  /// Whether `hedged(_:)` of a transport sends the second copy over a new connection.
  public let usesNewConnection: Bool
  package let scheduler: any DelayScheduler
  private let latencies: Lock<RecentLatencies>

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - delay: the time at which the second copy is sent.
  ///   - budget: bounds the second copies. If `retry` or `RetryPolicy` shares it, each request deposits
  ///     twice.
  ///   - hedgeableHTTPMethods: the methods of the requests that may be sent twice; the idempotent ones by
  ///     default. Name `.post` only if the server recognizes a repetition.
  ///   - hedgesUnknownRequests: whether `hedged(_:)` of a single subscribes a second time if it knows no
  ///     request of the first copy, such as that of a database, which may not be repeatable.
  ///   - usesNewConnection: whether `hedged(_:)` of a transport sends the second copy over a new connection, if
  ///     the transport follows `TransportRequest.needsNewConnection`. It helps if one connection is slow, such as
  ///     one that loses packets, or leads to a slow server behind a balancer of connections; with HTTP/2, both
  ///     copies otherwise share one. It costs a handshake. In *The Tail at Scale*, the second copy goes to another
  ///     replica; a client that knows one address can only ask for another connection.
  ///   - scheduler: the clock; `asDelayScheduler()` converts any Rx scheduler, and `ManualDelayScheduler` is
  ///     for tests.
  public init(
    after delay: Delay, budget: RetryBudget,
    hedgeableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    hedgesUnknownRequests: Bool = false, usesNewConnection: Bool = false,
    scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.delay = delay
    self.budget = budget
    self.hedgeableHTTPMethods = hedgeableHTTPMethods
    self.hedgesUnknownRequests = hedgesUnknownRequests
    self.usesNewConnection = usesNewConnection
    self.scheduler = scheduler
    let window = if case .percentile(_, _, let window) = delay { max(0, window.inSeconds) } else { 0.0 }
    latencies = Lock(RecentLatencies(capacity: Self.sampleLimit, window: window))
  }

  /// The delay of the second copy of a request that is sent now.
  public var currentDelay: Duration {
    switch delay {
    case .fixed(let fixed): return max(.zero, fixed)
    case .percentile(let percent, let initial, _):
      let now = scheduler.uptime.inSeconds
      let measured = latencies.withLock { latencies in
        latencies.removeOld(at: now)
        let bounded = percent < 100 ? max(0, percent) : 100
        return latencies.count >= Self.smallestSample ? latencies.percentile(bounded) : nil
      }
      return measured.map { Duration.inSeconds($0) } ?? max(.zero, initial)
    }
  }

  /// Adds the time since a reading to the response times of first copies.
  ///
  /// For an overtaken copy, it is the least that the response time would have been.
  package func record(since begin: TimeInterval) {
    guard case .percentile = delay else { return }
    let now = scheduler.uptime.inSeconds
    latencies.withLock { $0.add(now - begin, at: now) }
  }
}
