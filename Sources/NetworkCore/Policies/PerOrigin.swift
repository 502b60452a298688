import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Keeps one policy for each origin (scheme, host and port), so that a server that fails affects no other.
///
/// ```swift
/// let breakers = PerOrigin { CircuitBreaker() }
/// let retries = PerOrigin { RetryPolicy(budget: RetryBudget(ratio: 0.2)) }
/// let provider = NetworkProvider<GitHub>(
///   transport: try CurlTransport().perOrigin(breakers) { $0.circuitBreaker($1) }, interceptors: [retries])
/// ```
///
/// The policy may be of any class: a breaker, a limit, a hedge, a budget, or your own. A transport takes it with
/// `perOrigin(_:_:)`, and an operator as `breakers[url]`. If the policy is an interceptor, this is an
/// interceptor, too: the origin of the request decides.
///
/// The interceptor uses the URL that earlier interceptors have made, and for a retry the URL as it was sent. Put it
/// after interceptors that change the host; a plugin that does so in `prepare` separates deposits from retries.
///
/// A policy is created when it is first asked for. If there are `capacity` policies, the next one makes room:
/// policies are forgotten until half the capacity is left, those without use for the longest time first. A policy
/// that a running call holds is not forgotten. A policy that is forgotten loses its state: an open or isolated
/// breaker is closed when it is created again, and an interceptor has lost its credential. Hold a reference to a
/// breaker that you isolate.
///
/// The `ws` and `wss` of a WebSocket count as `http` and `https`. Hosts and ports are compared as text: a trailing
/// dot, another spelling of an address or a name that is not in ASCII is another origin.
///
/// A transport follows redirects within a transfer, so a request counts for the origin to which it was sent,
/// even if it is redirected to another origin, which then fails.
///
/// `SelectPipelineByAuthority()` of Microsoft's HTTP strategies for Polly also keeps a pipeline for each
/// authority. Finagle's failure accrual and Envoy's outlier detection work for each address of a service.
/// resilience4j's registries keep instances by a name that the user chooses, until the user removes them.
public final class PerOrigin<Policy: AnyObject & Sendable>: Sendable {
  private let capacity: Int
  private let makePolicy: @Sendable () -> Policy
  private let table: Lock<PolicyTable<Policy>>

  /// Creates a table without policies.
  ///
  /// - Parameters:
  ///   - capacity: the number of policies above which unused ones are forgotten, at least 2; more are kept while
  ///     calls hold them.
  ///   - makePolicy: returns a new policy. It is called without a lock, on the thread that first asks for the
  ///     policy of an origin. If two threads ask at once, one of the policies is dropped.
  public init(capacity: Int = 1_024, _ makePolicy: @escaping @Sendable () -> Policy) {
    self.capacity = max(2, capacity)
    self.makePolicy = makePolicy
    table = Lock(PolicyTable(capacity: self.capacity))
  }

  /// The number of policies.
  package var count: Int { table.withLock { $0.count } }

  /// The policy for the origin of a URL, which is created if there is none.
  ///
  /// URLs without an origin, such as relative ones, have one policy together.
  ///
  /// - Parameter url: an absolute URL.
  public subscript(url: String) -> Policy {
    // A handshake is sent with http or https, but adapters see the scheme of the target.
    let scheme = url.prefix { $0 != ":" }.lowercased()
    let origin = Origin(url: scheme == "ws" || scheme == "wss" ? "http" + url.dropFirst(2) : url)
    if let known = table.withLock({ $0.policy(for: origin) }) { return known }
    let new = makePolicy()
    let (policy, forgotten) = table.withLock { $0.add(new, for: origin) }
    // They are released without the lock.
    return withExtendedLifetime(forgotten) { policy }
  }
}

extension PerOrigin: RequestAdapter, RequestRetrier, RequestInterceptor where Policy: RequestInterceptor {
  /// Passes the request to the interceptor of its origin.
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    policy(for: urlRequest).adapt(urlRequest, for: session, completion: completion)
  }

  /// Passes the request to the interceptor of its origin.
  public func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    policy(for: urlRequest).adapt(urlRequest, using: state, completion: completion)
  }

  /// Lets the interceptor of the request's origin decide.
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    policy(for: request.request).retry(request, for: session, dueTo: error, completion: completion)
  }

  private func policy(for request: URLRequest?) -> Policy { self[request?.url?.absoluteString ?? ""] }
}

/// Policies by origin, of which the unused ones are forgotten when there are too many.
private struct PolicyTable<Policy: AnyObject> {
  private struct Entry {
    var policy: Policy
    var lastUse: Int
  }

  private let capacity: Int
  /// The number of policies at which unused ones are forgotten; more than the capacity if more are in use.
  private var cleanupThreshold: Int
  private var entries: [Origin?: Entry] = [:]
  private var useCount = 0

  init(capacity: Int) {
    self.capacity = capacity
    cleanupThreshold = capacity
  }

  var count: Int { entries.count }

  /// Returns the policy of an origin, and notes its use.
  mutating func policy(for origin: Origin?) -> Policy? {
    useCount += 1
    entries[origin]?.lastUse = useCount
    return entries[origin]?.policy
  }

  /// Adds a policy, unless the origin has one; returns the policy of the origin and the forgotten ones.
  mutating func add(_ new: Policy, for origin: Origin?) -> (Policy, forgotten: [Policy]) {
    if let known = policy(for: origin) { return (known, []) }
    let forgotten = entries.count >= cleanupThreshold ? removeUnused() : []
    entries[origin] = Entry(policy: new, lastUse: useCount)
    return (new, forgotten)
  }

  /// Removes policies that no call holds until half the capacity is left, those without use for the longest time
  /// first.
  private mutating func removeUnused() -> [Policy] {
    var sorted = entries.sorted { $0.value.lastUse < $1.value.lastUse }
    let limit = sorted.count - capacity / 2
    // A policy that is not in use now has a single reference, in `sorted`.
    entries = [:]
    var forgotten: [Policy] = []
    for index in sorted.indices {
      if forgotten.count < limit, isKnownUniquelyReferenced(&sorted[index].value.policy) {
        forgotten.append(sorted[index].value.policy)
      } else {
        entries[sorted[index].key] = sorted[index].value
      }
    }
    cleanupThreshold = max(capacity, 2 * entries.count)
    return forgotten
  }
}
