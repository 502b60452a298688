import ReactiveNetworkLock

/// Stubbed responses for the targets of a test, separate from the targets.
///
/// ```swift
/// let stubs = StubTable<GitHub>()
/// stubs.add(path: "/zen", [.networkResponse(503, Data()), .networkResponse(200, Data("ok".utf8))])
/// let provider = NetworkProvider<GitHub>(interceptors: [RetryPolicy()], stubs: stubs)
/// ```
///
/// Each request, and each attempt of a retried request, takes the next response; the last one is repeated.
/// Targets without an entry use the provider's `stubClosure`. You may add entries while requests run.
public final class StubTable<Target: TargetType>: Sendable {
  private final class Entry: Sendable {
    let matches: @Sendable (Target) -> Bool
    let behavior: StubBehavior
    private let responses: Lock<Queue<EndpointSampleResponse>>

    init(
      _ matches: @escaping @Sendable (Target) -> Bool, _ behavior: StubBehavior,
      _ responses: [EndpointSampleResponse]
    ) {
      self.matches = matches
      self.behavior = behavior
      self.responses = Lock(Queue(responses))
    }

    /// The next response; the last one is repeated.
    func next() -> EndpointSampleResponse? {
      responses.withLock { $0.count > 1 ? $0.popFirst() : $0.first }
    }
  }

  typealias Stub = (behavior: StubBehavior, sample: Endpoint.SampleResponseClosure)

  private let entries = Lock([Entry]())

  /// Makes an empty table.
  public init() {}

  /// Adds responses for some targets; if several entries match a target, the last added applies.
  ///
  /// - Parameters:
  ///   - matches: returns `true` for the targets that get the responses.
  ///   - responses: the responses in order; an empty array uses the target's own sample.
  ///   - behavior: when they are delivered; with `.never`, the requests go to the server.
  public func add(
    where matches: @escaping @Sendable (Target) -> Bool, _ responses: [EndpointSampleResponse],
    behavior: StubBehavior = .immediate
  ) {
    entries.withLock { $0.append(Entry(matches, behavior, responses)) }
  }

  /// Adds responses for targets with a method and a path.
  ///
  /// - Parameters:
  ///   - method: the targets' method; `nil` for any.
  ///   - path: the targets' exact path.
  ///   - responses: the responses in order; an empty array uses the target's own sample.
  ///   - behavior: when they are delivered.
  public func add(
    _ method: HTTPMethod? = nil, path: String, _ responses: [EndpointSampleResponse],
    behavior: StubBehavior = .immediate
  ) {
    add(where: { $0.path == path && (method == nil || $0.method == method) }, responses, behavior: behavior)
  }

  /// Removes all entries.
  public func removeAll() {
    let removed = entries.withLock { exchange(&$0, with: []) }
    withExtendedLifetime(removed) {}
  }

  /// The behavior and the sample of a stubbed target; `nil` if there is no entry for it.
  func stub(_ target: Target, endpoint: Endpoint) -> Stub? {
    // Called outside the lock, because it is the user's code.
    guard let entry = entries.withLock({ $0 }).last(where: { $0.matches(target) }) else { return nil }
    return (entry.behavior, { entry.next() ?? endpoint.sampleResponseClosure() })
  }
}
